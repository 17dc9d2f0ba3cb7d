import { fileURLToPath } from 'node:url';

import { type Command, Config } from '@oclif/core';

type Flag = Command.Loadable['flags'][string];

/** The meaning of each exit code, for all commands. */
const exitCodes = [
  ['0', 'success'],
  ['1', 'a check failed, such as a problem found by `doctor`; or an ablation has failed or missing runs'],
  ['2', 'an error in the input: the message says where it is and how to fix it'],
  ['70', 'a defect of agentgym: report it'],
  ['130', 'interrupted and resumable'],
] as const;

/**
 * All commands in `agentgym --help`, including commands of oclif's own plugins, without plugins that a user has
 * installed.
 */
export async function allCommands(): Promise<Command.Loadable[]> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const config = new Config({ root, userPlugins: false, devPlugins: false });
  await config.load();
  const shown = config.commands.filter(({ hidden, id, aliases }) => hidden !== true && !aliases.includes(id));
  return shown.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** `docs/reference/commands.md` */
export async function commandsPage(): Promise<string> {
  const commands = await allCommands();
  const lines = [
    '# Commands\n',
    'Every command takes `--help`. With `--json`, standard output is one document, also after an error ([errors](errors.md)). A RUN is a path, an id, the',
    'beginning of an id, or `latest`.\n',
    '| exit code | meaning |',
    '|---|---|',
    ...exitCodes.map(([code, meaning]) => `| ${code} | ${meaning} |`),
    '',
    'Generated from the commands themselves by `npm run reference`.\n',
    '| command | purpose |',
    '|---|---|',
    ...commands.map((command) => `| [\`${nameOf(command)}\`](#${slugOf(command)}) | ${cell(summaryOf(command))} |`),
    '',
    ...commands.flatMap(commandSection),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function commandSection(command: Command.Loadable): string[] {
  const args = Object.values(command.args).filter(({ hidden }) => hidden !== true);
  const flags = Object.entries(command.flags).filter(([, { hidden }]) => hidden !== true);
  const description = command.description === undefined ? '' : filled(command.description, command);
  const said = command.summary === undefined ? description.split('\n').slice(1).join('\n') : description;
  return [
    `## agentgym ${nameOf(command)}\n`,
    `${summaryOf(command)}.\n`.replace('..', '.'),
    '```text',
    usage(command, flags),
    '```\n',
    ...(said.trim() === '' ? [] : [`${said.trim()}\n`]),
    ...(args.length === 0 ? [] : ['| argument | meaning |', '|---|---|']),
    ...args.map(({ name, description: meaning = '', options, default: standard }) =>
      row([`\`${name.toUpperCase()}\``, meaning + oneOf(options) + unless(standard)]),
    ),
    ...(args.length === 0 ? [] : ['']),
    ...(flags.length === 0 ? [] : ['| flag | meaning |', '|---|---|']),
    ...flags.map(([name, flag]) => row([`\`${flagName(name, flag)}\``, flagMeaning(flag)])),
    ...(flags.length === 0 ? [] : ['']),
    ...examples(command),
  ];
}

function usage(command: Command.Loadable, flags: readonly (readonly [string, Flag])[]): string {
  const args = Object.values(command.args).filter(({ hidden }) => hidden !== true);
  const words = args.map(({ name, required }) => (required === true ? name.toUpperCase() : `[${name.toUpperCase()}]`));
  const more = command.strict === false && words.length > 0 ? '...' : '';
  const options = flags.map(([name, flag]) =>
    flag.required === true ? flagName(name, flag) : `[${flagName(name, flag)}]`,
  );
  return [`agentgym ${nameOf(command)}`, ...words].join(' ') + more + options.map((option) => `\n  ${option}`).join('');
}

function examples(command: Command.Loadable): string[] {
  const shown = (command.examples ?? []).map((example) => {
    const text = typeof example === 'string' ? example : `# ${example.description}\n${example.command}`;
    return filled(text, command)
      .split('\n')
      .map((line) => (line.startsWith('#') || line.startsWith('$') || line === '' ? line : `$ ${line}`))
      .join('\n');
  });
  return shown.length === 0 ? [] : ['```console', ...shown, '```\n'];
}

/** Fills oclif's templates. It knows only the names that texts of this repository use. */
function filled(template: string, command: Command.Loadable): string {
  return template.replaceAll(/<%[-=] *([\w.]+) *%>/g, (_, name: string) => {
    if (name === 'config.bin') return 'agentgym';
    if (name === 'command.id') return nameOf(command);
    if (name === 'command.summary') return command.summary ?? '';
    throw new Error(`a text of \`${command.id}\` has <%= ${name} %>, which the reference cannot fill`);
  });
}

const nameOf = ({ id }: { readonly id: string }) => id.replaceAll(':', ' ');
const slugOf = (command: Command.Loadable) => `agentgym-${nameOf(command).replaceAll(' ', '-')}`;
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;

function summaryOf(command: Command.Loadable): string {
  return filled(command.summary ?? command.description?.split('\n')[0] ?? '', command).replace(/\.$/, '');
}

function flagName(name: string, flag: Flag): string {
  const short = flag.char === undefined ? '' : `-${flag.char}, `;
  if (flag.type === 'boolean') return `${short}--${flag.allowNo === true ? '[no-]' : ''}${name}`;
  const helpValue = Array.isArray(flag.helpValue) ? flag.helpValue.join(' ') : flag.helpValue;
  return `${short}--${name}=${helpValue ?? flag.options?.join('|') ?? 'VALUE'}${flag.multiple === true ? '...' : ''}`;
}

function flagMeaning(flag: Flag): string {
  const text = (flag.summary ?? flag.description ?? '').replace(/\.$/, '');
  const options = flag.type === 'option' && flag.helpValue !== undefined ? oneOf(flag.options) : '';
  const excluded = (flag.relationships ?? []).flatMap(({ flags, type }) => (type === 'none' ? flags : []));
  const beside = [...(flag.exclusive ?? []), ...excluded].map(
    (one) => `\`--${typeof one === 'string' ? one : one.name}\``,
  );
  const not = beside.length === 0 ? '' : `; not beside ${beside.join(', ')}`;
  return text + options + unless(flag.type === 'option' ? flag.default : undefined) + not;
}

const oneOf = (options: readonly string[] | undefined) =>
  options === undefined ? '' : `: ${options.map((option) => `\`${option}\``).join(', ')}`;

const unless = (standard: unknown) => (standard === undefined ? '' : `; absent: \`${JSON.stringify(standard)}\``);
