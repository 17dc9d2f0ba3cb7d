import { words } from './words.js';

const table = words(`
  AlarmClock Apple BaseballBat BasketBall Book Bowl Box Bread ButterKnife CD Candle CellPhone Cloth CreditCard
  Cup DishSponge Egg Fork Glassbottle HandTowel Kettle KeyChain Knife Ladle Laptop Lettuce Mug Newspaper Pan
  PaperTowel Pen Pencil PepperShaker Plate Pot Potato RemoteControl SaltShaker SoapBar SoapBottle Spatula
  Spoon SprayBottle Statue TennisRacket TissueBox ToiletPaper ToiletPaperRoll Tomato Vase Watch WateringCan
  WineBottle
`);
const seat = words(`BasketBall Book Box CellPhone Cloth CreditCard KeyChain Laptop Newspaper Pillow RemoteControl`);

/**
 * Which kinds of things may be in or on which kinds of receptacles. Figures of ALFWorld: `VAL_RECEPTACLE_OBJECTS` in
 * alfworld/gen/constants.py, without slices and without receptacles that can be carried.
 */
export const contents: { readonly [receptacle: string]: readonly string[] } = {
  ArmChair: seat,
  BathtubBasin: words(`Cloth DishSponge HandTowel SoapBar`),
  Bed: words(`BaseballBat BasketBall Book CellPhone Laptop Newspaper Pillow TennisRacket`),
  Cabinet: words(`Book Bowl Box CD Candle Cloth Cup DishSponge Glassbottle HandTowel Kettle Ladle Mug Newspaper Pan
    PepperShaker Plate Plunger Pot SaltShaker SoapBar SoapBottle SprayBottle TissueBox ToiletPaper
    ToiletPaperRoll Vase WateringCan WineBottle`),
  Cart: words(`Candle Cloth DishSponge HandTowel Mug PaperTowel Plunger SoapBar SoapBottle SprayBottle Statue
    TissueBox ToiletPaper ToiletPaperRoll Vase`),
  CoffeeMachine: words(`Mug`),
  CoffeeTable: table,
  CounterTop: table,
  Desk: words(`AlarmClock BasketBall Book Bowl Box CD Candle CellPhone Cloth CreditCard Cup Glassbottle KeyChain
    Laptop Mug Newspaper Pen Pencil Plate RemoteControl SoapBottle SprayBottle Statue TennisRacket
    TissueBox ToiletPaper ToiletPaperRoll Vase Watch WateringCan WineBottle`),
  DiningTable: table,
  Drawer: words(`Book ButterKnife CD Candle CellPhone Cloth CreditCard DishSponge Fork HandTowel KeyChain Knife Ladle
    Newspaper Pen Pencil PepperShaker RemoteControl SaltShaker SoapBar SoapBottle Spatula Spoon
    SprayBottle TissueBox ToiletPaper ToiletPaperRoll Watch WateringCan`),
  Dresser: words(`AlarmClock BasketBall Book Bowl Box CD Candle CellPhone Cloth CreditCard Cup Glassbottle KeyChain
    Laptop Mug Newspaper Pen Pencil Plate RemoteControl SprayBottle Statue TennisRacket TissueBox
    ToiletPaper ToiletPaperRoll Vase Watch WateringCan WineBottle`),
  Fridge: words(`Apple Bowl Bread Cup Egg Glassbottle Lettuce Mug Pan Plate Pot Potato Tomato WineBottle`),
  GarbageCan:
    words(`Apple Bread CD Cloth DishSponge Egg HandTowel Lettuce Newspaper PaperTowel Pen Pencil Potato SoapBar
    SoapBottle SprayBottle TissueBox ToiletPaper ToiletPaperRoll Tomato WineBottle`),
  HandTowelHolder: words(`HandTowel`),
  LaundryHamper: words(`Cloth`),
  Microwave: words(`Apple Bowl Bread Cup Egg Glassbottle Mug Plate Potato Tomato`),
  Ottoman: seat,
  Safe: words(`CD CellPhone CreditCard KeyChain Statue Vase Watch`),
  Shelf: words(`AlarmClock Book Bowl Box CD Candle CellPhone Cloth CreditCard Cup DishSponge Glassbottle HandTowel
    Kettle KeyChain Mug Newspaper PaperTowel Pen Pencil PepperShaker Plate Pot RemoteControl SaltShaker
    SoapBar SoapBottle SprayBottle Statue TissueBox ToiletPaper ToiletPaperRoll Vase Watch WateringCan
    WineBottle`),
  SideTable: table,
  SinkBasin: words(`Apple Bowl ButterKnife Cloth Cup DishSponge Egg Fork Glassbottle HandTowel Kettle Knife Ladle
    Lettuce Mug Pan Plate Pot Potato SoapBar Spatula Spoon Tomato`),
  Sofa: seat,
  StoveBurner: words(`Kettle Pan Pot`),
  TVStand: words(`TissueBox`),
  Toilet: words(`Candle Cloth DishSponge HandTowel Newspaper PaperTowel SoapBar SoapBottle SprayBottle TissueBox
    ToiletPaper ToiletPaperRoll`),
  ToiletPaperHanger: words(`ToiletPaper ToiletPaperRoll`),
  TowelHolder: words(`Towel`),
};

/** What can be done with kinds of things: `VAL_ACTION_OBJECTS` in alfworld/gen/constants.py. */
export const uses = {
  cleanable: words(
    `Apple Bowl ButterKnife Cloth Cup DishSponge Egg Fork Kettle Knife Ladle Lettuce Mug Pan Plate Pot Potato SoapBar Spatula Spoon Tomato`,
  ),
  heatable: words(`Apple Bread Cup Egg Mug Plate Potato Tomato`),
  coolable: words(`Apple Bowl Bread Cup Egg Lettuce Mug Pan Plate Pot Potato Tomato WineBottle`),
  sliceable: words(`Apple Bread Egg Lettuce Potato Tomato`),
  toggleable: words(`DeskLamp FloorLamp`),
} as const;

/** `OPENABLE_CLASS_LIST` there, without the box. */
export const openable = words('Fridge Cabinet Microwave Drawer Safe');
/** `MOVABLE_RECEPTACLES` there: things that can hold things, which the text game does not let them. */
export const containers = words('Bowl Box Cup Mug Plate Pan Pot');
