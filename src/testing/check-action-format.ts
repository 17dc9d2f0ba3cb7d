import type { ActionFormat, FormatModule, ParsedAction } from '../contracts/format.js';
import { createRandom } from '../random/create-random.js';
import { declareKit, runKit, type KitCheck, type KitSettings } from './conformance-kit.js';
import type { DeclareTest } from './describe-environment.js';
import { malformedActions } from './environment-checks/malformed-actions.js';
import type { Finding } from './finding.js';
import { testHost } from './test-host.js';

/** An action format as the kit takes it: its module, and options to try it with. */
export interface ActionFormatSubject<Options> extends FormatModule<Options> {
  readonly options: Options;
}

export interface ActionFormatCheckSettings extends KitSettings {
  /** Actions that the format must carry unchanged. */
  readonly actions?: readonly string[];
  /** Awkward texts to try. */
  readonly texts?: number;
  /** Seconds that reading one text may take. */
  readonly secondsPerText?: number;
}

interface Context {
  readonly format: ActionFormat;
  readonly actions: readonly string[];
  readonly texts: () => Generator<string>;
  readonly milliseconds: number;
}

const someActions = ['17', 'go north', 'get 2 oak planks', 'search[who wrote "Emma"?]', 'x = {"a": 1}', 'open <box>'];

/** What regular expressions with nested repetition choke on. */
const repetitive = ['<', '<action>', '</action>', '{', '[[', '\\boxed{', 'a ', '"', '```', 'Action:', '\n\n'];

const shorten = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)} ...` : text);

const isRead = (parsed: ParsedAction): boolean => 'action' in parsed && typeof parsed.action === 'string';

const isRefused = (parsed: ParsedAction): boolean =>
  'malformed' in parsed && typeof parsed.malformed === 'string' && typeof parsed.observation === 'string';

export const actionFormatChecks: readonly KitCheck<Context>[] = [
  {
    id: 'round-trip',
    title: 'an action that is rendered is read as the same action',
    severity: 'error',
    likelyCause: 'render writes what parse strips or does not know; demonstrations would teach malformed text',
    run: ({ format, actions }) =>
      actions.flatMap((action) => {
        const parsed = format.parse(format.render(action));
        return 'action' in parsed && parsed.action === action
          ? []
          : [`${shorten(action)} is rendered and read as ${shorten(JSON.stringify(parsed))}`];
      }),
  },
  {
    id: 'never-throws',
    title: 'any text is read as an action or refused with a reason and a reply, and nothing is thrown',
    severity: 'error',
    likelyCause: 'JSON.parse, a missing match or a deep recursion is not guarded',
    run: ({ format, texts }) => {
      const found: string[] = [];
      for (const text of texts()) {
        try {
          const parsed = format.parse(text);
          if (!isRead(parsed) && !isRefused(parsed)) {
            found.push(`${shorten(text)} is neither read nor refused: ${shorten(String(JSON.stringify(parsed)))}`);
          }
        } catch (error) {
          found.push(`${shorten(text)}: ${String(error)}`);
        }
        if (found.length === 5) return found;
      }
      return found;
    },
  },
  {
    id: 'swift',
    title: 'no text takes long to read',
    severity: 'error',
    likelyCause: 'a regular expression backtracks: nested or adjacent repetitions that match the same characters',
    run: ({ format, milliseconds }) => {
      for (const piece of repetitive) {
        // Ever longer, so that what backtracks is caught before it takes hours.
        for (let count = 1_000; count <= 512_000; count *= 2) {
          const start = performance.now();
          format.parse(piece.repeat(count));
          const taken = performance.now() - start;
          if (taken > milliseconds) return [`${count} times ${shorten(piece)} took ${Math.round(taken)} ms`];
        }
      }
      return [];
    },
  },
  {
    id: 'repeatable',
    title: 'the same text is read the same way each time',
    severity: 'error',
    likelyCause: 'state is kept between calls, such as lastIndex of a regular expression with the flag g',
    run: ({ format, actions }) =>
      actions.flatMap((action) => {
        const text = format.render(action);
        const [first, ...others] = [1, 2, 3].map(() => JSON.stringify(format.parse(text)));
        return others.every((other) => other === first) ? [] : [`${shorten(text)} is read differently each time`];
      }),
  },
  {
    id: 'short-reply',
    title: 'the reply to a malformed text is short, whatever the text',
    severity: 'error',
    likelyCause: 'the reply quotes the text; it becomes an observation, and its tokens fill the episode',
    run: ({ format, texts }) => {
      for (const text of texts()) {
        const parsed = format.parse(text);
        if ('malformed' in parsed && parsed.observation.length > 2_000) {
          return [`the reply to ${shorten(text)} has ${parsed.observation.length} characters`];
        }
      }
      return [];
    },
  },
];

/** Checks an action format against its contract, and says what is wrong and what usually causes it. Nothing is found in a good one. */
export function checkActionFormat<Options>(
  subject: ActionFormatSubject<Options>,
  settings: ActionFormatCheckSettings = {},
): Promise<Finding[]> {
  return runKit(actionFormatChecks, settings, () => {
    const format = subject.create(subject.options, testHost(settings.seed));
    const actions = settings.actions ?? someActions;
    const random = createRandom(settings.seed ?? 0);
    function* texts(): Generator<string> {
      const stream = random.stream('texts');
      const rendered = () => format.render(stream.choice(actions));
      for (const { text } of malformedActions(stream, settings.texts ?? 1_000, rendered)) yield text;
    }
    return { format, actions, texts, milliseconds: 1_000 * (settings.secondsPerText ?? 2) };
  });
}

/** The kit as tests, one for each check; takes the runner's `it`. */
export function describeActionFormat<Options>(
  it: DeclareTest,
  subject: ActionFormatSubject<Options>,
  settings: ActionFormatCheckSettings = {},
): void {
  declareKit(it, actionFormatChecks, settings, () => checkActionFormat(subject, settings));
}
