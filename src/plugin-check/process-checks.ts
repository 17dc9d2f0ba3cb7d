import type { CheckDescription } from '../testing/conformance-kit.js';
import { globalState } from '../testing/shared-cures.js';

/** Checks of a plugin's entry, by the process that imports it and by the one that watches. */
export const entryChecks = {
  'entry-loads': {
    id: 'entry-loads',
    title: 'the entry can be imported',
    likelyCause: 'a missing dependency, or work done at import',
    why: 'A plugin whose entry does not load is left out, with everything it contributes.',
    cure: 'Import the entry by itself in Node and mend what it throws; move whatever may fail into load() or create().',
  },
  'entry-shape': {
    id: 'entry-shape',
    title: 'it exports a list of contributions, each of the right shape',
    likelyCause: 'a member is missing or misspelt',
    why: 'The host takes a list of contributions and nothing else.',
    cure: 'Mend the place that is named; `satisfies EnvironmentContribution<typeof options>` finds it while you type.',
  },
  'entry-global-state': {
    id: 'entry-global-state',
    title: 'importing it changes nothing of the process',
    likelyCause: 'work done at import',
    ...globalState,
  },
  'entry-deadline': {
    id: 'entry-deadline',
    title: 'importing it comes to an end',
    likelyCause: 'a loop without end, or a wait for something that never comes',
    why: 'Every command of agentgym imports every plugin: one that hangs, hangs them all until they give up on it.',
    cure: 'Export the list at once; download, compile and connect in load(), open() or create().',
  },
  'entry-exits': {
    id: 'entry-exits',
    title: 'importing it does not end the process',
    likelyCause: 'process.exit, or an error in a callback that nobody catches',
    why: 'It would end agentgym itself, whichever command was typed.',
    cure: 'Throw an error instead of calling process.exit.',
  },
  'entry-silent': {
    id: 'entry-silent',
    title: 'importing it prints nothing to standard output',
    likelyCause: 'console.log of a search for a bug',
    why: 'Under `--json` standard output is one document, which a line of a plugin makes unreadable.',
    cure: 'Print nothing; speak through `host.log`.',
  },
  'entry-ends': {
    id: 'entry-ends',
    title: 'after importing it the process ends by itself',
    likelyCause: 'a timer, socket or worker that is not closed',
    why: 'A timer or socket that is opened at import keeps every command from ending.',
    cure: 'Open nothing before open() or create(), and close it in close() or dispose().',
  },
} as const satisfies { readonly [id: string]: CheckDescription };

/** Checks of a contribution before and around those of its kit. */
export const contributionChecks = {
  load: {
    id: 'load',
    title: 'load() gives the functions of its contract',
    likelyCause: 'load() imports a file that is not there',
    why: 'It is listed, and fails when somebody uses it.',
    cure: 'Let load() import the module, and the module export what its contract names.',
  },
  options: {
    id: 'options',
    title: 'validate() answers for all options that the declaration allows, and takes the defaults',
    likelyCause: 'validate() trusts a value, or answers in another shape',
    why: 'What validate() says is shown to users; a complaint without place or cure helps nobody, and one that throws ends the command.',
    cure: 'Answer with a list of {path, message, hint} for any options that the declaration allows, the defaults without complaint.',
  },
  deadline: {
    id: 'deadline',
    title: 'nothing hangs',
    likelyCause: 'a loop without end, or a wait for something that never comes',
    why: 'A run would wait for ever, or lose the episode to its deadline.',
    cure: 'Give every wait of your own a limit, and look for loops that have no end.',
  },
  exits: {
    id: 'exits',
    title: 'nothing ends the process',
    likelyCause: 'process.exit, or an error in a callback that nobody catches',
    why: 'It would take the whole run with it.',
    cure: 'Throw an error instead of ending the process, and catch the errors of streams, workers and child processes.',
  },
  silent: {
    id: 'silent',
    title: 'nothing is printed to standard output',
    likelyCause: 'console.log of a search for a bug',
    why: 'Under `--json` standard output is one document, which a line of a plugin makes unreadable.',
    cure: 'Print nothing; speak through `host.log`.',
  },
  ends: {
    id: 'ends',
    title: 'after its work the process ends by itself',
    likelyCause: 'a timer, socket or worker that is not closed',
    why: 'The command would be done and never end: something that dispose() should have closed holds the process open.',
    cure: 'Close sockets, timers, workers and child processes in dispose(), or unref() them.',
  },
} as const satisfies { readonly [id: string]: CheckDescription };
