import type { Options } from '../options.js';
import { jsonLegend, legend } from './draw-view.js';

const task =
  'You are in a world of rooms, doors, keys, balls and boxes, and carry out a goal. You see the 7 x 7 cells before you, up to walls and closed doors. A locked door opens with the key of its colour in your hands. You can carry one thing.';

const highLevel = [
  'Each turn, write one action:',
  'turn left; turn right; move forward; go to OBJECT NUMBER; pickup OBJECT NUMBER; drop; toggle;',
  'go through DOOR NUMBER; toggle and go through DOOR NUMBER',
  'such as: go to red ball 1; pickup grey key 2; toggle and go through blue closed door 1.',
  '`toggle` opens or shuts the door before you, or opens the box before you.',
].join('\n');

const primitive = [
  'Each turn, write one action:',
  'left: turn left; right: turn right; forward: move forward; pickup: take what is before you;',
  'drop: put down before you what you carry; toggle: open or shut the door, or open the box, before you; done: nothing.',
].join('\n');

/** The rules of the client of AgentGym, in our words: its names of actions, and the format of answers is left to others. */
export function writeInstructions({ actions, observation, compat }: Options): string {
  const isAgentGym = compat === 'agentgym';
  const shown = isAgentGym ? 'text' : observation;
  const legends = { text: '', ascii: legend, json: jsonLegend };
  const verbs = isAgentGym || actions === 'agentgym' ? highLevel : primitive;
  return [task, verbs, legends[shown]].filter((part) => part !== '').join('\n');
}
