import { expect, it } from 'vitest';

import { ChatTemplate } from './chat-template.js';

const value = {
  b: 1e-7,
  a: [0.1, 1e-5, 0.0001, -2.5e-9, 3, 1e21],
  c: { d: null, e: true, f: 'é "<b>"' },
  g: [],
  h: {},
};

const render = (filter: string) =>
  new ChatTemplate({ config: '{}', chatTemplate: `{{ tools[0] | ${filter} }}` }).render(
    [{ role: 'user', content: '' }],
    { addGenerationPrompt: false, tools: [value] },
  );

// json.dumps of Python 3.11 with ensure_ascii=False. Goes red when numbers are written as JavaScript does.
it.each([
  [
    'tojson',
    '{"b": 1e-07, "a": [0.1, 1e-05, 0.0001, -2.5e-09, 3, 1e+21], "c": {"d": null, "e": true, "f": "é \\"<b>\\""}, "g": [], "h": {}}',
  ],
  [
    'tojson(sort_keys=true, separators=(",", ":"), ensure_ascii=true)',
    '{"a":[0.1,1e-05,0.0001,-2.5e-09,3,1e+21],"b":1e-07,"c":{"d":null,"e":true,"f":"\\u00e9 \\"<b>\\""},"g":[],"h":{}}',
  ],
  [
    'tojson(indent=2)',
    `{
  "b": 1e-07,
  "a": [
    0.1,
    1e-05,
    0.0001,
    -2.5e-09,
    3,
    1e+21
  ],
  "c": {
    "d": null,
    "e": true,
    "f": "é \\"<b>\\""
  },
  "g": [],
  "h": {}
}`,
  ],
])('writes %s as transformers does', (filter, json) => {
  expect(render(filter)).toBe(json);
});
