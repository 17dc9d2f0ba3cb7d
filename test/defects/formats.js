// A good action format, and copies with one defect each. `expected` names the check that must find the defect.

const malformed = { malformed: 'no brackets', observation: 'Write your action in brackets.' };
const healthy = {
  instructions: 'Write your action in brackets: <go north>.',
  parse: (text) => {
    if (text.length > 10_000) return malformed;
    const [start, end] = [text.indexOf('<'), text.lastIndexOf('>')];
    const action = start === -1 || end <= start ? '' : text.slice(start + 1, end);
    return action.trim() === '' ? malformed : { action };
  },
  render: (action) => `<${action}>`,
};

const sticky = /^<(.+)>$/gs;

export const defects = {
  'parse-throws': {
    expected: 'any-text',
    parse: (text) => (text.length > 10_000 ? malformed : { action: /<([^]*)>/.exec(text)[1] || 'wait' }),
  },
  'accepts-nothing': {
    expected: 'any-text',
    parse: (text) => (text === '<>' ? { action: '' } : healthy.parse(text)),
  },
  'render-adds-a-space': { expected: 'round-trip', render: (action) => `< ${action}>` },
  'keeps-its-place': {
    expected: 'repeatable',
    parse: (text) => {
      if (text.length > 10_000 || !text.endsWith('>')) return malformed;
      const action = sticky.exec(text)?.[1];
      return action === undefined || action.trim() === '' ? malformed : { action };
    },
  },
  backtracks: {
    expected: 'swift',
    // Quadratic time: the pattern starts at every bracket and runs to the last one.
    parse: (text) => (/<+x/.test(text) ? malformed : healthy.parse(text)),
  },
  'quotes-the-text': {
    expected: 'any-text',
    parse: (text) =>
      'action' in healthy.parse(text) ? healthy.parse(text) : { ...malformed, observation: `What is ${text}?` },
  },
  'endless-instructions': { expected: 'instructions', instructions: 'Write your action in brackets. '.repeat(500) },
};

const contribution = (name, members = {}) => ({
  kind: 'format',
  name,
  summary: 'Actions in brackets',
  options: {},
  load: () => Promise.resolve({ create: () => ({ ...healthy, ...members }) }),
});

export default [
  contribution('healthy'),
  ...Object.entries(defects).map(([name, defect]) => contribution(name, defect)),
];
