// The splits of cooking games into games to train on, to validate and to test with: foods, and preparations of foods.

export type Split = 'train' | 'valid' | 'test';

/** Names of the foods that a split has for itself; the others use those of `train` too, in other preparations. */
export const splitFoods: Readonly<Record<Split, readonly string[]>> = {
  train: [
    ...['orange bell pepper', 'block of cheese', 'black pepper', 'red hot pepper', 'yellow bell pepper', 'banana'],
    ...['salt', 'chicken leg', 'cilantro', 'white onion', 'purple potato', 'olive oil', 'flour', 'red onion'],
    ...['yellow potato', 'parsley', 'red potato', 'water', 'pork chop', 'red apple', 'chicken wing', 'carrot'],
  ],
  valid: [
    ...['vegetable oil', 'green apple', 'red tuna', 'green bell pepper', 'red bell pepper', 'lettuce', 'peanut oil'],
    ...['chicken breast'],
  ],
  test: ['milk', 'yellow onion', 'yellow apple', 'sugar', 'egg', 'green hot pepper', 'white tuna', 'tomato'],
};

/**
 * How the foods of `train` may be prepared in each split, in the order of the original. Two letters are one
 * preparation: ra`w`, `f`ried, `r`oasted or `g`rilled, then `u`ncut, `c`hopped, `s`liced or `d`iced.
 */
export const trainFoodPreparations: Readonly<Record<string, Readonly<Record<Split, string>>>> = {
  'orange bell pepper': { train: 'wc rd gu wu ws gs rs fd gc', valid: 'rc fu fs wd', test: 'ru fc gd' },
  'block of cheese': { train: 'fd fu gc wc gd rc gs wu ws', valid: 'rd gu wd rs', test: 'fc ru fs' },
  'black pepper': { train: 'wu', valid: 'wu', test: 'wu' },
  'red hot pepper': { train: 'rs fc ru fs ws gc fu wc gs', valid: 'wd rc rd gd', test: 'wu gu fd' },
  'yellow bell pepper': { train: 'rc gs fs wd rd fc ru gu fu', valid: 'wc rs fd ws', test: 'gc wu gd' },
  banana: { train: 'gd fc gc gs fd rd fs ws rs', valid: 'ru gu wd rc', test: 'wc fu wu' },
  salt: { train: 'wu', valid: 'wu', test: 'wu' },
  'chicken leg': { train: 'gu', valid: 'fu', test: 'ru' },
  cilantro: { train: 'wu wd', valid: 'ws', test: 'wc' },
  'white onion': { train: 'gu wc ru rs fd ws gc rc rd', valid: 'gs wd fc fu', test: 'wu fs gd' },
  'purple potato': { train: 'rs rd gd fc fs fd ru', valid: 'gc gu fu', test: 'gs rc' },
  'olive oil': { train: 'wu', valid: 'wu', test: 'wu' },
  flour: { train: 'wu', valid: 'wu', test: 'wu' },
  'red onion': { train: 'wu ru rd fs ws gd fd wd gs', valid: 'rc fc fu gc', test: 'wc gu rs' },
  'yellow potato': { train: 'gc gs fd fs fc rc ru', valid: 'rd gu gd', test: 'fu rs' },
  parsley: { train: 'wd ws', valid: 'wu', test: 'wc' },
  'red potato': { train: 'rs gc fu fc fd fs rd', valid: 'gd gs rc', test: 'gu ru' },
  water: { train: 'wu', valid: 'wu', test: 'wu' },
  'pork chop': { train: 'fs rs gu rd gd fu fc', valid: 'fd rc ru', test: 'gs gc' },
  'red apple': { train: 'gs fd rs fs gd wu ws wd rc', valid: 'wc rd gu fc', test: 'fu ru gc' },
  'chicken wing': { train: 'gu', valid: 'ru', test: 'fu' },
  carrot: { train: 'rs fc wu gu ru gs ws fs wc', valid: 'gc fu rc rd', test: 'wd gd fd' },
};
