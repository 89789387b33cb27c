/** The page's address, which names the current position. */

const KEY = "branchwise-link";

const plain = (query: string) => query.replace(/^\?/, "");

/** Whether a person has entered an address with a position other than the last one kept there. */
export function editedLink(query: string): boolean {
  const now = plain(query);
  return new URLSearchParams(now).has("game") && now !== sessionStorage.getItem(KEY);
}

export function keepLink(link: string): void {
  if (plain(location.search) !== link) history.replaceState(null, "", `?${link}${location.hash}`);
  // A reload will find the link as the browser has normalized it.
  sessionStorage.setItem(KEY, plain(location.search));
}
