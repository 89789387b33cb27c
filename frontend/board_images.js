// Each board of the gallery as an image of its own: what is seen of it, with the colours of both themes.
() => {
  const PLAIN = {
    fill: "#000000", stroke: "none", "stroke-width": "1px", opacity: "1", "fill-opacity": "1", "stroke-opacity": "1",
    "stroke-linecap": "butt", "stroke-linejoin": "miter", "stroke-dasharray": "none", "paint-order": "normal",
    "font-size": "", "font-weight": "400", "text-anchor": "start", "letter-spacing": "normal",
  };
  const NAMES = Object.keys(PLAIN);
  const [OF_STROKES, OF_TEXT] = [/^stroke-|^paint/, /^font|^text|^letter/];
  const KEPT = ["d", "x", "y", "cx", "cy", "r", "rx", "x1", "x2", "y1", "y2", "width", "height", "points", "transform", "dy", "id", "offset", "stop-color", "stop-opacity"];
  const short = (text) => text.replace(/-?\d+\.\d+/g, (number) => String(Math.round(Number(number) * 100) / 100));
  const hex = (colour) => (/^rgb\(/.test(colour) ? "#" + colour.match(/\d+/g).map((part) => Number(part).toString(16).padStart(2, "0")).join("") : colour.replaceAll('"', ""));

  document.querySelectorAll("[data-square], .label:not(.inside)").forEach((element) => element.remove());
  const elements = [...document.querySelectorAll(".drawing *")];
  const places = new Map(elements.map((element, i) => [element, i]));
  const [light, dark] = ["light", "dark"].map((theme) => {
    document.documentElement.dataset.theme = theme;
    return elements.map((element) => {
      const style = getComputedStyle(element);
      return NAMES.map((name) => hex(style.getPropertyValue(name)));
    });
  });

  const imageOf = (drawing) => {
    const classes = new Map();
    const rulesOf = (at, tag) =>
      NAMES.flatMap((name, i) => {
        const [day, night] = [light[at][i], dark[at][i]];
        const plain = day === PLAIN[name] && night === PLAIN[name];
        const vain = (tag === "g" && name !== "opacity") || (tag !== "text" && OF_TEXT.test(name)) || (light[at][1] === "none" && OF_STROKES.test(name));
        return plain || vain ? [] : [`${name}:${day === night ? day : `light-dark(${day},${night})`}`];
      }).join(";");
    const written = (element) => {
      const tag = element.tagName;
      const inner = tag === "text" ? element.textContent : [...element.children].map(written).join("");
      const kept = KEPT.filter((name) => element.hasAttribute(name)).map((name) => ` ${name}="${short(element.getAttribute(name))}"`).join("");
      const rules = /defs|stop|Gradient/.test(tag) ? "" : rulesOf(places.get(element), tag);
      if (rules && !classes.has(rules)) classes.set(rules, `s${classes.size}`);
      const attributes = (rules ? ` class="${classes.get(rules)}"` : "") + kept;
      if (tag === "g" && (inner === "" || attributes === "")) return inner;
      return inner ? `<${tag}${attributes}>${inner}</${tag}>` : `<${tag}${attributes}/>`;
    };
    const inner = [...drawing.children].map(written).join("");
    const sheet = [...classes].map(([rules, name]) => `.${name}{${rules}}`).join("");
    const { x, y, width, height } = drawing.getBBox();
    const frame = short([x - 4, y - 4, width + 8, height + 8].join(" "));
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${frame}"><style>:root{color-scheme:light dark;font-family:system-ui,sans-serif}${sheet}</style>${inner}</svg>`.replace(/[\w-]+-(?=shine|grain)/g, "");
  };
  return Object.fromEntries([...document.querySelectorAll("section")].map((section) => [section.dataset.name, imageOf(section.querySelector(".drawing"))]));
}
