import { describe, expect, it } from 'vitest';

const script = new URL('../../bench/sides/command-of.js', import.meta.url).href;
const { commandOf } = (await import(script)) as { commandOf: (parts: readonly string[]) => string };

describe('the command beside the results of a measurement', () => {
  it('has the name, the options and quotes', () => {
    expect(commandOf(['models', '--rounds', '2', '--only', 'decode, 1 row'])).toBe(
      "npm run bench -- models --rounds 2 --only 'decode, 1 row'",
    );
  });

  it('leaves out where things of this machine are', () => {
    expect(commandOf(['rl', '--python', '/opt/venv/bin/python', '--model', 'smollm2-135m', '--json=/tmp/a.json'])).toBe(
      'npm run bench -- rl --model smollm2-135m',
    );
    expect(commandOf(['models', '--folder', '/home/me/models/SmolLM2'])).toBe(
      'npm run bench -- models --folder SmolLM2',
    );
    expect(commandOf(['models', '--folder=/home/me/models/SmolLM2'])).toBe('npm run bench -- models --folder=SmolLM2');
  });
});
