import type { CheckDescription } from '../testing/conformance-kit.js';
import { globalState } from '../testing/shared-cures.js';

/** Checks of a plugin's entry, made by the process that imports it and by the process that observes it. */
export const entryChecks = {
  'entry-loads': {
    id: 'entry-loads',
    title: 'the entry can be imported',
    likelyCause: 'a missing dependency, or work at import',
    why: 'If the entry does not load, the plugin and all its contributions are left out.',
    cure: 'Import the entry alone in Node and fix the error. Move code that may fail into load() or create().',
  },
  'entry-shape': {
    id: 'entry-shape',
    title: 'the entry exports a list of valid contributions',
    likelyCause: 'a member is missing or misspelt',
    why: 'The host accepts only a list of contributions.',
    cure: 'Fix that member. `satisfies EnvironmentContribution<typeof options>` finds it while you type.',
  },
  'entry-global-state': {
    id: 'entry-global-state',
    title: 'importing the entry does not change the process',
    likelyCause: 'work at import',
    ...globalState,
  },
  'entry-deadline': {
    id: 'entry-deadline',
    title: 'importing the entry finishes in time',
    likelyCause: 'an endless loop, or a wait for an event that never comes',
    why: 'Every command of agentgym imports every plugin. A plugin that hangs delays all commands until their deadline.',
    cure: 'Export the list immediately. Download, compile and connect in load(), open() or create().',
  },
  'entry-exits': {
    id: 'entry-exits',
    title: 'importing the entry does not end the process',
    likelyCause: 'process.exit, or an uncaught error in a callback',
    why: 'It would end every agentgym command.',
    cure: 'Throw an error instead of calling process.exit.',
  },
  'entry-silent': {
    id: 'entry-silent',
    title: 'importing the entry prints nothing to standard output',
    likelyCause: 'a console.log left from debugging',
    why: 'With `--json` standard output is one JSON document. A line of a plugin makes it unreadable.',
    cure: 'Print nothing; use `host.log`.',
  },
  'entry-ends': {
    id: 'entry-ends',
    title: 'the process ends by itself after importing the entry',
    likelyCause: 'an open timer, socket or worker',
    why: 'A timer or socket opened at import keeps every command from ending.',
    cure: 'Open nothing before open() or create(), and close it in close() or dispose().',
  },
} as const satisfies { readonly [id: string]: CheckDescription };

/** Checks of a contribution in addition to the checks of its kit. */
export const contributionChecks = {
  load: {
    id: 'load',
    title: 'load() returns the functions of the contract',
    likelyCause: 'load() imports a file that does not exist',
    why: 'The contribution is listed, but fails when somebody uses it.',
    cure: 'Let load() import the module, and export the functions of the contract from it.',
  },
  options: {
    id: 'options',
    title: 'validate() accepts the defaults and works for all options that the declaration allows',
    likelyCause: 'validate() trusts a value, or returns another shape',
    why: 'agentgym shows the findings of validate() to users. A finding without path or hint does not help, and an exception ends the command.',
    cure: 'Return a list of {path, message, hint} for all options that the declaration allows, and an empty list for the defaults.',
  },
  deadline: {
    id: 'deadline',
    title: 'no call hangs',
    likelyCause: 'an endless loop, or a wait for an event that never comes',
    why: 'A run would wait forever, or lose the episode at its deadline.',
    cure: 'Set a time limit for every wait, and look for endless loops.',
  },
  exits: {
    id: 'exits',
    title: 'no call ends the process',
    likelyCause: 'process.exit, or an uncaught error in a callback',
    why: 'It would end the whole run.',
    cure: 'Throw an error instead of ending the process, and handle the errors of streams, workers and child processes.',
  },
  silent: {
    id: 'silent',
    title: 'no call prints to standard output',
    likelyCause: 'a console.log left from debugging',
    why: 'With `--json` standard output is one JSON document. A line of a plugin makes it unreadable.',
    cure: 'Print nothing; use `host.log`.',
  },
  ends: {
    id: 'ends',
    title: 'the process ends by itself after its work',
    likelyCause: 'an open timer, socket or worker',
    why: 'The command would finish its work but never end: an open resource that dispose() did not close keeps the process alive.',
    cure: 'Close sockets, timers, workers and child processes in dispose(), or unref() them.',
  },
} as const satisfies { readonly [id: string]: CheckDescription };
