/** The page's address, which names the position shown. */

const KEY = "branchwise-link";

const plain = (query: string) => query.replace(/^\?/, "");

/** Whether a person has put in an address that names a position, other than the one kept there last. */
export function editedLink(query: string): boolean {
  const now = plain(query);
  return new URLSearchParams(now).has("game") && now !== sessionStorage.getItem(KEY);
}

export function keepLink(link: string): void {
  if (plain(location.search) !== link) history.replaceState(null, "", `?${link}${location.hash}`);
  // What the browser makes of the link is what a reload will find.
  sessionStorage.setItem(KEY, plain(location.search));
}
