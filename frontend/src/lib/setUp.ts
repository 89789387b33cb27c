/** Setting up a position so that it stays until a person moves. */
import type { Explorer } from "./explorer.svelte";
import { baseName, type Link } from "./link";
import { ALL } from "./players";

/**
 * Show the position of a link. The bot would move at once on its turn, so people have every seat until it is
 * known whose turn it is. Then people take `seats` if that seat is among them, else only that seat. Where all
 * move at once they take `seats`, or the first.
 *
 * Raises `RefusedError` for a position that cannot be reached.
 */
export async function setUp(explorer: Explorer, link: Link, seats: number[] | null): Promise<void> {
  const { game, moves } = link;
  const info = [explorer.position?.game, ...(explorer.welcome?.games ?? [])].find(
    (g) => g?.name === game || g?.name === baseName(game),
  );
  const everyone = info && Array.from({ length: info.num_players }, (_, player) => player);
  const opponent = explorer.position?.game.name === game ? explorer.position.opponent : null;
  const types_dice = explorer.position?.types_dice ?? false;
  const told = await explorer.ask({ type: "new_game", game, moves, seats: everyone, opponent, types_dice }, true);
  if (told.type !== "position" || told.player === null || (told.player < 0 && told.player !== ALL)) return;
  const player = told.player === ALL ? (seats?.[0] ?? 0) : told.player;
  const wanted = seats?.includes(player) ? seats : [player];
  if (wanted.join() !== told.seats.join()) explorer.say({ type: "set_players", seats: wanted });
}
