/** Numbers as they are shown. */

/** A return or a value: "+0.417", "-1", "0", "+1,250". */
export function signed(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return value > 0 ? "+∞" : "-∞";
  if (Math.abs(value) >= 1000) return (value < 0 ? "-" : "+") + grouped(Math.abs(value));
  const text = String(Number(value.toPrecision(digits)));
  if (Number(text) === 0) return "0";
  return text.startsWith("-") ? text : `+${text}`;
}

/** A value in columns, always with so many decimals: "+0.417", "+0.000". */
export function fixed(value: number, decimals = 3): string {
  if (Math.abs(value) >= 1000) return signed(value);
  const text = Math.abs(value).toFixed(decimals);
  return (value < 0 && Number(text) !== 0 ? "-" : "+") + text;
}

/** A whole number with commas. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
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

/** Without a plus: a weight, a score's part. */
export function plain(value: number, digits = 3): string {
  return Math.abs(value) >= 1000 ? grouped(value) : String(Number(value.toPrecision(digits)));
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
