// Classes are written out, because those of JavaScript differ from Python's: there \b knows all letters, and white space
// has other members.
const punctuation = /[!-/:-@[-`{-~]/g;
const articles = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;
// oxlint-disable-next-line no-control-regex -- Python counts these four as white space
const whiteSpace = /[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** The words of a text, which white space separates as in Python's `str.split`. */
const wordsOf = (text: string): string => text.split(whiteSpace).filter(Boolean).join(' ');

/**
 * The normal form of an answer in words: lower case, without ASCII punctuation, without the articles a, an and the,
 * with single spaces. "An apple, a day" becomes "apple day", and "U.S.A." becomes "usa". Signs are punctuation: "-3"
 * becomes "3", so numbers need another rule.
 *
 * Source: `normalize_answer` of SQuAD's evaluate-v2.0.py (Rajpurkar et al. 2018), which GEM's QA environments copy.
 */
export function normalizeAnswer(text: string): string {
  return wordsOf(text.toLowerCase().replace(punctuation, '').replace(articles, ' '));
}

/**
 * The normal form, or the text in lower case where nothing is left of it. By the published rule, the answers "A" and
 * "the" of a multiple choice have equal normal forms, as has no answer at all.
 */
export function comparableAnswer(text: string): string {
  return normalizeAnswer(text) || wordsOf(text.toLowerCase());
}
