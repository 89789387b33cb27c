// Pictures in rows below each other, half as large, as one WebP in base64.
async (rows) => {
  const load = async (source) => createImageBitmap(await (await fetch(source)).blob());
  const images = await Promise.all(rows.map((row) => Promise.all(row.map(load))));
  const [scale, gap] = [0.5, 8];
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(...images.map((row) => row.reduce((all, { width }) => all + width * scale + gap, -gap)));
  canvas.height = images.reduce((all, [{ height }]) => all + height * scale + gap, -gap);
  const paper = canvas.getContext("2d");
  paper.imageSmoothingQuality = "high";
  let y = 0;
  for (const row of images) {
    let x = 0;
    for (const image of row) {
      paper.drawImage(image, x, y, image.width * scale, image.height * scale);
      x += image.width * scale + gap;
    }
    y += row[0].height * scale + gap;
  }
  return canvas.toDataURL("image/webp", 0.7).split(",")[1];
}
