import { element } from './element.js';
import { onPlace, place, placed } from './fragment.js';

export interface ChoiceOptions<Value extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly value: Value;
  /** Name of the choice in the address of the page; absent: the choice has no link. */
  readonly place?: string;
  /** Values that cannot be chosen, and why. */
  readonly disabled?: { readonly [value: string]: string };
  onChange(value: Value): void;
}

let made = 0;

/** A choice between a few visible values. Radio buttons are native, so arrow keys move between them. */
export function choice<Value extends string>(options: ChoiceOptions<Value>) {
  made += 1;
  const name = `choice-${made}`;
  const { place: address } = options;
  const inputs = options.options.map(([value]) => {
    const input = element('input', { type: 'radio', name, value });
    input.checked = value === options.value;
    input.addEventListener('change', () => {
      if (address !== undefined) place({ [address]: value === options.value ? undefined : value });
      options.onChange(value);
    });
    return input;
  });
  const labels = options.options.map(([, text], i) => element('label', inputs[i], element('span', text)));
  /** Replaces the set of values that cannot be chosen. */
  const disable = (disabled: NonNullable<ChoiceOptions<Value>['disabled']>) => {
    for (const [i, input] of inputs.entries()) {
      const why = disabled[input.value];
      input.disabled = why !== undefined;
      if (labels[i] !== undefined) labels[i].title = why ?? '';
    }
  };
  disable(options.disabled ?? {});
  /** Takes the value of the address, when everything that listens to the choice exists. */
  const follow = () => {
    const wanted = (address === undefined ? undefined : placed(address)) ?? options.value;
    const input = inputs.find(({ value, disabled }) => value === wanted && !disabled);
    if (input === undefined || input.checked) return;
    input.checked = true;
    options.onChange(input.value as Value);
  };
  if (address !== undefined) onPlace(follow);
  const node = element('fieldset.choice', element('legend.hidden', options.label), ...labels);
  /** Chooses the next value, for a shortcut. */
  const next = () => {
    const usable = inputs.filter((input) => !input.disabled);
    const following = usable[(usable.findIndex((input) => input.checked) + 1) % usable.length];
    if (following === undefined) return;
    following.checked = true;
    following.dispatchEvent(new Event('change'));
  };
  return { node, next, disable, follow };
}
