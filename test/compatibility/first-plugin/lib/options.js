export const options = {
  size: { type: 'integer', minimum: 2, maximum: 9, default: 4, description: 'Numbers on the circle', axis: true },
  laps: { type: 'number', minimum: 0, default: null, description: 'Turns around it, where there is a limit' },
  reply: { type: 'choice', choices: ['number', 'nothing'], default: 'number', description: 'What an action is told' },
  starts: { type: 'integers', minimum: 0, maximum: 8, default: [0, 1], description: 'Where episodes begin' },
  names: { type: 'strings', default: ['a', 'b'], description: 'Names that details carry' },
  title: { type: 'string', default: null, description: 'First line of the instructions' },
  strict: { type: 'boolean', default: false, description: 'End at the first wrong number' },
};
