import type { NumpyRandom } from './numpy-random.js';
import type { Candidate, KnownWays } from './way-finder.js';

/** Puts the possible ways into the random order that the original gives to all ways. */
export class CandidateShuffle {
  /** For each way: 1 + the index of its candidate, or 0 if there is none. */
  private places = new Int32Array(256);

  constructor(private readonly random: NumpyRandom) {}

  /** @param isUseful which candidates the result has */
  shuffled({ count, candidates }: KnownWays, isUseful: (candidate: Candidate) => boolean): Candidate[] {
    if (count > this.places.length) this.places = new Int32Array(count * 2);
    const { places } = this;
    places.fill(0, 0, count);
    let left = 0;
    for (let index = 0; index < candidates.length; index++) {
      const candidate = candidates[index] as Candidate;
      if (!isUseful(candidate)) continue;
      places[candidate.place] = index + 1;
      left++;
    }
    this.random.shuffleIntegers(places, count);
    const shuffled: Candidate[] = [];
    for (let place = 0; left > 0; place++) {
      const index = (places[place] as number) - 1;
      if (index < 0) continue;
      shuffled.push(candidates[index] as Candidate);
      left--;
    }
    return shuffled;
  }
}
