// A good reward scheme, and copies with one defect each. `expected` names the check that must find the defect.

/** Pays 0.5 in total for new milestones, and 1 for success. */
const healthy = () => ({
  density: 'turn',
  score: ({ facts, previous }) => {
    const share = (of) => (of?.milestones === undefined ? 0 : of.milestones.reached / of.milestones.total);
    return 0.5 * (share(facts) - share(previous)) + (facts.success && previous?.success !== true ? 1 : 0);
  },
  bounds: ({ horizon, discount = 1 }) => ({ success: [discount ** (horizon - 1), 1.5], failure: [0, 0.5] }),
});

let scored = 0;
const began = Date.now();

export const defects = {
  'failure-above-success': {
    expected: 'success-above-failure',
    score: (turn) => 4 * healthy().score(turn) - (turn.facts.success && turn.previous?.success !== true ? 3 : 0),
    bounds: ({ horizon, discount = 1 }) => ({ success: [discount ** (horizon - 1), 3], failure: [0, 2] }),
  },
  'nan-without-milestones': {
    expected: 'bounds',
    score: ({ facts }) => facts.milestones?.reached / facts.milestones?.total,
  },
  'bounds-forget-the-price': {
    expected: 'bounds',
    score: (turn) => healthy().score(turn) - (turn.malformed ? 0.2 : 0),
  },
  'bounds-ignore-the-discount': {
    expected: 'bounds',
    bounds: () => ({ success: [1, 1.5], failure: [0, 0.5] }),
  },
  'bounds-the-wrong-way-round': {
    expected: 'bounds',
    bounds: () => ({ success: [1.5, 0], failure: [0.5, 0] }),
  },
  'remembers-turns': {
    expected: 'pure',
    score: (turn) => healthy().score(turn) * (1 + 1e-6 * (scored += 1)),
  },
  'changes-the-turn': {
    expected: 'pure',
    score: (turn) => {
      const score = healthy().score(turn);
      turn.facts.success = false;
      return score;
    },
  },
  'calls-itself-an-outcome': { expected: 'density', density: 'outcome' },
  'noise-on-top': {
    expected: 'global-random',
    score: (turn) => healthy().score(turn) + 1e-12 * (Math.random() - 0.5),
  },
  'price-on-seconds': {
    expected: 'clock',
    score: (turn) => healthy().score(turn) * (Date.now() - began < 86_400_000 ? 1 : 0.99),
  },
  'density-misspelt': { expected: 'create', density: 'sparse' },
};

const contribution = (name, members = {}) => ({
  kind: 'reward',
  name,
  summary: 'Milestones and the outcome',
  options: {},
  load: () => Promise.resolve({ create: () => ({ ...healthy(), ...members }) }),
});

export default [
  contribution('healthy'),
  ...Object.entries(defects).map(([name, defect]) => contribution(name, defect)),
];
