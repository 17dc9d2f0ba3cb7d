export default [
  {
    kind: 'environment',
    name: 'delayed',
    summary: 'Signals that answer at different speeds',
    options: {
      timers: { type: 'boolean', default: false, description: 'A child process of each instance waits, not a timer' },
    },
    load: () => import('./world.js'),
  },
  {
    kind: 'tool',
    name: 'coin',
    summary: 'A coin that is thrown on the word',
    options: {},
    load: () => import('./coin.js'),
  },
];
