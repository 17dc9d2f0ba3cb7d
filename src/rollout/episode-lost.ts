/** An episode broke off through no fault of its own: it is played again, and not counted as a retry. */
export class EpisodeLost extends Error {
  override readonly name = 'EpisodeLost';
}
