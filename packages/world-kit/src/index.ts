export { answerRules, numberWithin, type AnswerRule } from './answers/answer-rules.js';
export { normalizeAnswer } from './answers/normalize-answer.js';
export { readNumber, type Fraction } from './answers/read-number.js';
