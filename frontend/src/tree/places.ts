/** A line of play as a place: "the root", "a1 b2". */
export function placeOf(line: readonly string[]): string {
  return line.length ? line.join(" ") : "the root";
}
