/** An episode broke without its own fault: it is played again, and this does not count as a retry. */
export class EpisodeLost extends Error {
  override readonly name = 'EpisodeLost';
}
