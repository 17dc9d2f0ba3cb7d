import { element } from './element.js';

export interface ChoiceOptions<Value extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly value: Value;
  /** Values that cannot be chosen, and why. */
  readonly disabled?: { readonly [value: string]: string };
  onChange(value: Value): void;
}

let made = 0;

export interface Choice {
  readonly node: HTMLElement;
  /** Chooses the next value, for a shortcut. */
  readonly next: () => void;
  /** Replaces the set of values that cannot be chosen. */
  readonly disable: (disabled: NonNullable<ChoiceOptions<string>['disabled']>) => void;
}

/** A choice between a few visible values. Radio buttons are native, so arrow keys move between them. */
export function choice<Value extends string>(options: ChoiceOptions<Value>): Choice {
  made += 1;
  const name = `choice-${made}`;
  const inputs = options.options.map(([value]) => {
    const input = element('input', { type: 'radio', name, value });
    input.checked = value === options.value;
    input.addEventListener('change', () => options.onChange(value));
    return input;
  });
  const labels = options.options.map(([, text], i) => element('label', {}, inputs[i], element('span', {}, text)));
  const disable: Choice['disable'] = (disabled) => {
    for (const [i, input] of inputs.entries()) {
      const why = disabled[input.value];
      input.disabled = why !== undefined;
      if (labels[i] !== undefined) labels[i].title = why ?? '';
    }
  };
  disable(options.disabled ?? {});
  const node = element('fieldset', { class: 'choice' }, element('legend', {}, options.label), ...labels);
  const next = () => {
    const usable = inputs.filter((input) => !input.disabled);
    const following = usable[(usable.findIndex((input) => input.checked) + 1) % usable.length];
    if (following === undefined) return;
    following.checked = true;
    following.dispatchEvent(new Event('change'));
  };
  return { node, next, disable };
}
