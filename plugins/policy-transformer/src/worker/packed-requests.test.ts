import type { GenerateRequest, Random } from '@agentgym/cli';
import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { packRequests, unpackRequests } from './packed-requests.js';
import { TokenHistories } from './token-histories.js';

function request(sequence: string, tokens: readonly number[]): GenerateRequest {
  return { sequence, tokens, endIds: [2, 9], maxTokens: 3, draws: Float64Array.of(0.1, 0.5, 1) };
}

/** A prefix of the ids before, these ids with one changed and some more, only new ids, or these ids and some more. */
function nextTokens(random: Random, before: readonly number[]): number[] {
  const more = Array.from({ length: random.integer(1, 6) }, () => random.integer(3, 9));
  const at = random.integer(0, before.length);
  switch (random.integer(0, 6)) {
    case 0:
      return before.slice(0, at + 1);
    case 1:
      return [...before.with(at, before[at]! + 1), ...more];
    case 2:
      return more;
    default:
      return [...before, ...more];
  }
}

describe('packed requests', () => {
  it('bring only tokens that the other side does not have', () => {
    const [here, there] = [new TokenHistories(), new TokenHistories()];
    const ask = (tokens: readonly number[]) => {
      const packed = packRequests([request('a', tokens), request('b', [7])], here);
      const [asked] = unpackRequests(structuredClone(packed), there);
      expect(asked).toMatchObject(request('a', tokens));
      for (const side of [here, there]) side.settle('a', side.current('a'), [4, 2]);
      return { crossed: [...packed.tokens], unchanged: asked!.unchanged };
    };
    expect(ask([1, 5, 6])).toEqual({ crossed: [1, 5, 6, 7], unchanged: 0 });
    expect(ask([1, 5, 6, 4, 2, 8])).toEqual({ crossed: [8], unchanged: 5 });
    // A turn that differs from the sampled one, then the same array with an id changed in place.
    const other = [1, 5, 6, 4, 3];
    expect(ask(other)).toEqual({ crossed: [3], unchanged: 4 });
    other[1] = 9;
    expect(ask(other)).toEqual({ crossed: [9, 6, 4, 3], unchanged: 1 });
  });

  // Goes red when a side forgets or learns something that the other does not, or when `unchanged` is counted from
  // requests that were not answered.
  it('arrive whole, whatever was asked under their names before, and however that ended', () => {
    const { random } = testHost(3);
    const [here, there] = [new TokenHistories(), new TokenHistories()];
    const before = new Map<string, number[]>();
    /** Tokens that the other side has computed for a sequence, from the last answered request. */
    const computed = new Map<string, readonly number[]>();
    let unchanged = 0;
    for (let call = 0; call < 600; call += 1) {
      const own = random.stream('call', call);
      const released = own.integer(0, 5) === 0 ? [`s${own.integer(0, 4)}`] : [];
      const names = Array.from({ length: own.integer(1, 4) }, () => `s${own.integer(0, 4)}`);
      const asked = names.map((name, index) =>
        request(name, nextTokens(own.stream('tokens', index), before.get(name) ?? [1])),
      );
      const packed = packRequests(asked, here, released);
      const sent = names.map((name) => here.current(name));
      const arrived = unpackRequests(structuredClone(packed), there);
      const read = names.map((name) => there.current(name));
      expect(arrived).toMatchObject(asked);
      for (const { sequence, tokens, unchanged: kept } of arrived) {
        expect(tokens.slice(0, kept)).toEqual((computed.get(sequence) ?? []).slice(0, kept));
        unchanged += kept!;
      }
      // One call in four is not answered. This side learns this, or not yet if another call is in progress.
      const isAnswered = own.integer(0, 4) > 0;
      for (const [index, { sequence, tokens }] of asked.entries()) {
        const sampled = [2];
        before.set(sequence, [...tokens, ...sampled]);
        const isOne = names.filter((name) => name === sequence).length === 1;
        if (isAnswered) {
          there.settle(sequence, read[index], sampled);
          computed.set(sequence, isOne ? [...tokens, ...sampled] : []);
          if (own.integer(0, 5) > 0) here.settle(sequence, sent[index], sampled);
        } else if (own.integer(0, 3) > 0) here.abandon(sequence, sent[index]);
      }
    }
    expect(unchanged).toBeGreaterThan(1000);
  });

  it('of one name in one call are sent whole and not remembered', () => {
    const [here, there] = [new TokenHistories(), new TokenHistories()];
    const twice = [request('a', [1, 5]), request('a', [1, 6])];
    for (let call = 0; call < 2; call += 1) {
      const packed = packRequests(twice, here);
      expect([...packed.tokens]).toEqual([1, 5, 1, 6]);
      expect(unpackRequests(packed, there)).toMatchObject(twice.map((one) => ({ ...one, unchanged: 0 })));
    }
    expect(here.current('a')).toBeUndefined();
    expect(there.current('a')).toBeUndefined();
  });

  it('say so where the other side does not know what they go on from', () => {
    const here = new TokenHistories();
    packRequests([request('a', [1, 5])], here);
    const packed = packRequests([request('a', [1, 5, 6])], here);
    expect(() => unpackRequests(packed, new TokenHistories())).toThrow('0 tokens of a are known, but not 2');
  });

  it('that were overtaken settle and abandon nothing', () => {
    const here = new TokenHistories();
    packRequests([request('a', [1, 5])], here);
    const first = here.current('a');
    packRequests([request('a', [1, 5, 6])], here);
    here.settle('a', first, [9]);
    here.abandon('a', first);
    expect(here.current('a')).toEqual({ tokens: [1, 5, 6], settled: 0 });
  });
});
