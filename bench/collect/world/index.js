export default [
  {
    kind: 'environment',
    name: 'paced-guesses',
    summary: 'Guess numbers for a fixed count of turns, each answered after a random delay',
    options: {
      turns: { type: 'integer', minimum: 1, default: 20, description: 'Turns of an episode' },
      delay: { type: 'number', minimum: 0, default: 0, description: 'Mean delay of an answer in ms; 0: none' },
      sigma: { type: 'number', minimum: 0, default: 1, description: 'Standard deviation of the logarithm of a delay' },
    },
    load: () => import('./paced-guesses.js'),
  },
];
