/** Do something in a task of its own after the next frame has been drawn; return what calls it off. */
export function afterFrame(deed: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => (timer = setTimeout(deed)));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
