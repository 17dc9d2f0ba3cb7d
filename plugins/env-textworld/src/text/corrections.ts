import type { Compat } from './compat.js';

/** Where `corrected` differs from what a compiled story, played through TextWorld, does. Each can be told apart. */
export interface Corrections {
  /**
   * A command that is admissible does what it says. The compiled story asks back or understands something else where
   * names share words: it looks for whole printed names, but compares their capital letters with a command in small
   * letters (`take Henderson's keycard`), and not for names whose apostrophes it prints as quotation marks.
   */
  readonly understandsAdmissible: boolean;
  /** A whole printed name is preferred to parts of names, however it is capitalised and spaced. */
  readonly comparesNamesLoosely: boolean;
  /**
   * What is not named is guessed from what fits: for `unlock gate` the key of the gate. The compiled story prefers
   * things whose names are in the command, so it tries the gate itself.
   */
  readonly guessesSensibly: boolean;
  /**
   * Whatever the player does is tracked. The original misses `get` for things in containers and on supporters, `enter`
   * for doors, `drink`, looking at food that is cut or cooked, and names with apostrophes, and its list of admissible
   * commands is wrong from then on.
   */
  readonly tracksEverything: boolean;
  /** Nothing changes that the rules of the game do not know, such as cooking what is burned, or opening a grill. */
  readonly changesByRulesOnly: boolean;
  /**
   * Conditions of quests count from the first command on. The original's environment lets five turns pass before it,
   * to switch on its own information.
   */
  readonly countsFromFirstCommand: boolean;
  /** After a turn that loses the game, score, description and inventory are those after it, not before. */
  readonly tellsAfterLoss: boolean;
  /** `it` is what the player named last. The original looks around after each turn, which changes what it means. */
  readonly keepsPronouns: boolean;
  /** Where `it` means something that is gone, it is named. */
  readonly namesWhatIsGone: boolean;
  /** Apostrophes are printed as they are written; Inform makes those that stand at words' edges quotation marks. */
  readonly keepsApostrophes: boolean;
  /** A sentence that begins with the name of a door begins with a capital letter. */
  readonly beginsWithCapital: boolean;
  /** A room is named without the marks of a heading, where a meal cannot be prepared (`in the -= Kitchen =-`). */
  readonly namesRoomsPlainly: boolean;
  /** The end is not followed by a question for what to do next. */
  readonly endsWithoutQuestion: boolean;
  /** Replies do not tell the number of turns, so a state that is reached at another turn is the same state. */
  readonly tellsNoTurns: boolean;
  /** Names with other letters than those of English can be typed. */
  readonly readsAllLetters: boolean;
  /** Commands may have 80 words and 500 characters; a compiled story reads 15 and 118. */
  readonly readsLongCommands: boolean;
}

const all: Corrections = {
  understandsAdmissible: true,
  comparesNamesLoosely: true,
  guessesSensibly: true,
  tracksEverything: true,
  changesByRulesOnly: true,
  countsFromFirstCommand: true,
  tellsAfterLoss: true,
  keepsPronouns: true,
  namesWhatIsGone: true,
  keepsApostrophes: true,
  beginsWithCapital: true,
  namesRoomsPlainly: true,
  endsWithoutQuestion: true,
  tellsNoTurns: true,
  readsAllLetters: true,
  readsLongCommands: true,
};

const none: Corrections = {
  understandsAdmissible: false,
  comparesNamesLoosely: false,
  guessesSensibly: false,
  tracksEverything: false,
  changesByRulesOnly: false,
  countsFromFirstCommand: false,
  tellsAfterLoss: false,
  keepsPronouns: false,
  namesWhatIsGone: false,
  keepsApostrophes: false,
  beginsWithCapital: false,
  namesRoomsPlainly: false,
  endsWithoutQuestion: false,
  tellsNoTurns: false,
  readsAllLetters: false,
  readsLongCommands: false,
};

export function correctionsOf(compat: Compat): Corrections {
  return compat === 'corrected' ? all : none;
}
