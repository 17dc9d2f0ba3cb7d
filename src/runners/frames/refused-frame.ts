/** What a job sent does not fit its own words, or what is here. Nothing of it has reached the run's folder. */
export class RefusedFrame extends Error {
  override readonly name = 'RefusedFrame';
}
