import { visible } from './visible-text.js';

export type Child = Node | string | undefined | false;
type Attributes = { readonly [name: string]: string | number | boolean | undefined | ((event: never) => void) };

/**
 * An element by its tag and its classes (`p.explain`), with attributes, listeners (`onclick`) and children. Strings
 * become text nodes, so that a model's text is never parsed as HTML, without characters that hide or reverse others. The
 * value true sets an empty attribute; false or undefined omits it.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  selector: Tag | `${Tag}.${string}`,
  first?: Attributes | Child,
  ...others: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const [tag, ...classes] = selector.split('.') as [Tag, ...string[]];
  const made = document.createElement(tag);
  made.classList.add(...classes);
  const isChild = typeof first !== 'object' || first instanceof Node;
  for (const [name, value] of Object.entries(isChild ? {} : first)) {
    if (typeof value === 'function') made.addEventListener(name.replace(/^on/, ''), value as EventListener);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value !== undefined) made.setAttribute(name, String(value));
  }
  append(made, isChild ? [first, ...others] : others);
  return made;
}

/** Replaces the children of an element if they are others: a node loses the focus if it is removed and put back. */
export function showNodes(parent: HTMLElement, nodes: readonly HTMLElement[]): void {
  if (!isSameList(nodes, [...parent.children])) parent.replaceChildren(...nodes);
}

/** Whether two lists have the same items. */
export function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, i) => item === other[i]);
}

/** Replaces the children of an element. */
export function replaceChildren(parent: HTMLElement, ...children: readonly Child[]): void {
  parent.textContent = '';
  append(parent, children);
}

function append(parent: HTMLElement, children: readonly Child[]): void {
  for (const child of children) {
    if (child === undefined || child === false) continue;
    parent.append(typeof child === 'string' ? visible(child) : child);
  }
}
