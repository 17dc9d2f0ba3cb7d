// A view in words, as AgentGym's wrapper writes it.
import { barrierAhead, type Scene, type VisibleThing } from './visible-things.js';

export function describeScene(scene: Scene): string {
  const { things, carrying } = scene;
  const named = things.filter(({ kind }) => kind !== 'wall').map(describeThing);
  const seen =
    things.length === 0
      ? 'You cannot see any objects within sight.'
      : `In front of you in this room, you can see several objects: ${named.join('')}`;
  const barrier = barrierAhead(scene);
  const facing = barrier === undefined ? '' : `You are facing a ${barrier.kind} ${barrier.ahead} steps away. `;
  return `${seen}The room has walls around you. ${facing}${describeHands(carrying)}`;
}

export function describeHands(carrying: Scene['carrying']): string {
  return carrying === undefined
    ? 'You are not carrying anything.'
    : `You are carrying a ${carrying.colour} ${carrying.kind}.`;
}

function describeThing({ name, number, ahead, right }: VisibleThing): string {
  const place =
    right === 0
      ? `right in front of you ${ahead} steps away.`
      : `${ahead} steps in front of you and ${Math.abs(right)} steps to your ${right > 0 ? 'right' : 'left'}.`;
  return `There is a ${name} ${number} ${place}  `;
}
