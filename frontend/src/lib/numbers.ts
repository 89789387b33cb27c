/** Numbers as text for people. */

const MINUS = "−";

/** A return or a value: "+0.417", "−1", "0", "+1,250". */
export function signed(value: number, digits = 3): string {
  const size = Math.abs(value);
  const text = size === Infinity ? "∞" : size >= 1000 ? grouped(size) : String(Number(size.toPrecision(digits)));
  if (text === "0") return text;
  return (value < 0 ? MINUS : "+") + text;
}

/** A value for columns, with a fixed number of decimals: "+0.417", "0.000"; "–" for none. */
export function fixed(value: number | null, decimals = 3): string {
  if (value === null) return "–";
  if (Math.abs(value) >= 1000) return signed(value);
  const text = Math.abs(value).toFixed(decimals);
  if (Number(text) === 0) return text;
  return (value < 0 ? MINUS : "+") + text;
}

/** Without a plus sign: a weight, a part of a score; what rounding has left of zero is 0. */
export function plain(value: number, digits = 3): string {
  if (Math.abs(value) < 1e-7) return "0";
  return Math.abs(value) >= 1000 ? grouped(value) : String(Number(value.toPrecision(digits))).replace("-", MINUS);
}

/** A whole number with commas. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A count, exact up to six digits: 1,234; then 1.23 M and 4.56 G. */
export function count(n: number): string {
  if (n < 1e6) return grouped(n);
  return n < 1e9 ? `${(n / 1e6).toFixed(2)} M` : `${(n / 1e9).toFixed(2)} G`;
}

/** A count in few characters: "950", "12.3k", "4.57M". */
export function short(count: number): string {
  if (count < 10_000) return grouped(count);
  const [value, unit] = count < 999_500 ? [count / 1e3, "k"] : count < 999.5e6 ? [count / 1e6, "M"] : [count / 1e9, "G"];
  return value.toPrecision(3) + unit;
}

/** A share of one: "34 %", "0.4 %", "<0.1 %". */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.1) return "<0.1 %";
  return value > 0 && value < 9.95 ? `${Number(value.toFixed(1))} %` : `${Math.round(value)} %`;
}

const MOST_DENOMINATOR = 216;

/** A probability as a simple fraction, "1/6", if it is one, else in percent. */
export function probability(share: number): string {
  for (let below = 1; below <= MOST_DENOMINATOR; below++) {
    const above = Math.round(share * below);
    if (above > 0 && Math.abs(above / below - share) < 1e-9) return below === 1 ? String(above) : `${above}/${below}`;
  }
  return percent(share);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Memory in units of 2**20 bytes. */
export function megabytes(bytes: number): string {
  const mb = bytes / 2 ** 20;
  return `${mb < 10 ? mb.toFixed(1) : grouped(mb)} MB`;
}
