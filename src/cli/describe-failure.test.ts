import { Errors } from '@oclif/core';
import { describe, expect, it } from 'vitest';

import { AgentgymError } from '../errors/agentgym-error.js';
import { describeFailure, failureLines } from './describe-failure.js';

describe('describeFailure', () => {
  it('keeps what an AgentgymError says, its findings where there are several', () => {
    const place = { file: 'a.yaml', line: 3, path: 'seed' };
    const details = { message: 'wrong', hint: 'Mend it.', ...place };
    const one = { code: 'AG_RECIPE_INVALID' as const, ...details };
    const single = describeFailure(new AgentgymError('AG_RECIPE_INVALID', { ...details, findings: [one] }));
    expect(single).toEqual({ exitCode: 2, error: one });
    expect(failureLines(single)).toEqual(['Error AG_RECIPE_INVALID:', '  a.yaml:3: wrong', '    Mend it.']);
    const several = describeFailure(new AgentgymError('AG_RECIPE_INVALID', { ...details, findings: [one, one] }));
    expect(several.error.findings).toHaveLength(2);
    expect(failureLines(several)[0]).toBe('Error AG_RECIPE_INVALID, and 1 more:');
  });

  it('knows an error of another copy of the package by its name', () => {
    class AgentgymErrorOfAnotherCopy extends Error {
      override readonly name = 'AgentgymError';
      readonly code = 'AG_INTERRUPTED';
      readonly hint = 'Go on.';
      readonly exitCode = 130;
    }
    expect(describeFailure(new AgentgymErrorOfAnotherCopy('stopped'))).toMatchObject({
      exitCode: 130,
      error: { code: 'AG_INTERRUPTED', hint: 'Go on.' },
    });
  });

  it('is no defect that the server of a policy is down', () => {
    const down = Object.assign(new Error('the server is away'), { code: 'UNAVAILABLE' });
    expect(describeFailure(down)).toMatchObject({ exitCode: 2, error: { code: 'AG_POLICY_UNAVAILABLE' } });
  });

  it('makes usage errors of what oclif throws', () => {
    const flag = Object.assign(
      new Errors.CLIError('\u001b[31mNonexistent flag: --x\u001b[39m\nSee more help with --help'),
      { command: 'runs:list' },
    );
    expect(describeFailure(flag)).toMatchObject({
      exitCode: 2,
      error: { code: 'AG_COMMAND_USAGE', message: 'Nonexistent flag: --x', hint: 'See `agentgym runs list --help`.' },
    });
  });

  it('makes what oclif says at length one line', () => {
    const say = (text: string) => describeFailure(new Errors.CLIError(text)).error.message;
    expect(say('Parsing --seed \n\tExpected an integer but received: x\nSee more help with --help')).toBe(
      'Parsing --seed: Expected an integer but received: x',
    );
    expect(say('The following error occurred:\n  --check=true cannot also be provided when using --resume')).toBe(
      '--check and --resume cannot be used together',
    );
    expect(
      say(
        'The following error occurred:\n  All of the following must be provided when using --trial: --check\nSee more help with --help',
      ),
    ).toBe('--trial has an effect only with --check');
    expect(
      say('Missing 1 required arg:\nname  What it is\n\nNote: --set allows multiple values. Because of this'),
    ).toBe('Missing 1 required arg:\nname  What it is');
  });

  it('takes what goes wrong in a command of another package for no defect of ours', () => {
    const thrown = Object.assign(new Error('x not installed'), { command: 'plugins:inspect', foreign: true });
    expect(describeFailure(thrown)).toEqual({
      exitCode: 2,
      error: { code: 'AG_COMMAND_FAILED', message: 'x not installed', hint: 'See `agentgym plugins inspect --help`.' },
    });
  });

  it('asks to report everything else, with the stack and its causes', () => {
    const failure = describeFailure(new Error('outer', { cause: new Error('inner') }));
    expect(failure).toMatchObject({
      exitCode: 70,
      error: { code: 'AG_BUG', message: 'outer', hint: expect.stringContaining('doctor') },
    });
    expect(failure.stack).toMatch(/outer[\s\S]*Caused by: Error: inner/);
    expect(describeFailure('a string')).toMatchObject({ exitCode: 70, error: { message: 'a string' } });
  });
});
