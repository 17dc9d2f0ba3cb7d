// Inform 7 source of cooking games: what a compiled game does and replies. The replies are those of the original.

/** Drinking, eating and cutting, cooking, and words before the names of foods. */
export const foodCode = `
Understand nothing as drinking.
The block drinking rule is not listed in any rulebook.
Drinking carried thing is an action applying to one carried thing.
Understand "drink [something]" as drinking carried thing.
Check drinking carried thing when the noun is not drinkable (this is the only drinks rule):
    say "You cannot drink [the noun].";
    rule fails.
Carry out drinking carried thing: remove the noun from play.
After drinking carried thing:
    now the noun is consumed;
    continue the action.
Report drinking carried thing: say "You drink [the noun]. Not bad.".

Check eating an inedible food (called the dish):
    if the dish is needs cooking:
        say "You should cook [the dish] first.";
        rule fails.
After eating a food (called the dish):
    now the dish is consumed;
    continue the action.

Understand the type of cutting property as describing food.
Understand the type of cooking property as describing food.

Understand the commands "slice", "prune" and "chop" as something new.
The block cutting rule is not listed in any rulebook.
Check cutting: say "You need to specify how you want to cut [the noun]. Either slice, dice, or chop it." instead.

Slicing it with is an action applying to two carried things.
Dicing it with is an action applying to two carried things.
Chopping it with is an action applying to two carried things.
Understand "slice [something] with/using [something]" as slicing it with.
Understand "dice [something] with/using [something]" as dicing it with.
Understand "chop [something] with/using [something]" as chopping it with.
Slicing something with something is a cutting activity.
Dicing something with something is a cutting activity.
Chopping something with something is a cutting activity.
Does the player mean slicing something with something carried which is not sharp: it is very unlikely.
Does the player mean dicing something with something carried which is not sharp: it is very unlikely.
Does the player mean chopping something with something carried which is not sharp: it is very unlikely.

Before a cutting activity when the noun is not cuttable:
    say "Can only cut cuttable food.";
    rule fails.
Before a cutting activity when the noun is cuttable and the noun is not uncut:
    say "[The noun] is already [type of cutting of the noun].";
    rule fails.
Before a cutting activity when the second noun is not sharp:
    say "Cutting something requires a knife.";
    rule fails.

Carry out slicing a carried food (called the piece) with something:
    now the piece is sliced;
    say "You slice the [piece].".
Carry out dicing a carried food (called the piece) with something:
    now the piece is diced;
    say "You dice the [piece].".
Carry out chopping a carried food (called the piece) with something:
    now the piece is chopped;
    say "You chop the [piece].".

Cooking it with is an action applying to one carried thing and one thing.
Understand "cook [something] with/in/on/using [something]" as cooking it with.
Does the player mean cooking something with something carried: it is very unlikely.
Check cooking something not cookable with something (this is the only food rule):
    say "Can only cook food." instead.
Check cooking something cookable with something not a source of heat (this is the heat needed rule):
    say "Cooking requires a source of heat." instead.
Carry out cooking a carried food (called the dish) with a thing (called the heater):
    if the dish is cooked:
        now the dish is burned;
        now the dish is not edible;
        say "You burned the [dish]!";
        stop;
    now the dish is cooked;
    if the dish is needs cooking:
        now the dish is not needs cooking;
        now the dish is edible;
    if the heater is a stove-like:
        now the dish is fried;
        say "You fried the [dish].";
    otherwise if the heater is a oven-like:
        now the dish is roasted;
        say "You roasted the [dish].";
    otherwise if the heater is a toaster-like:
        now the dish is grilled;
        say "You grilled the [dish].".

Before printing the name of a food (called the piece) while looking, examining, listing contents or taking inventory:
    if the piece is not uncut:
        say "[type of cutting of the piece] ".
Before printing the name of a food (called the dish) while looking, examining, listing contents or taking inventory:
    if the dish is needs cooking:
        say "raw ";
    otherwise if the dish is burned:
        say "burned ";
    otherwise if the dish is not raw:
        say "[type of cooking of the dish] ".
`;

/** Preparing the meal. */
export const recipeCode = `
Rule for printing the name of an ingredient-like (called the part):
    if the type of cutting of the part is not uncut, say "[type of cutting of the part] ";
    if the type of cooking of the part is not raw, say "[type of cooking of the part] ";
    say "[base of the part]".

Preparing meal is an action applying to nothing.
Understand "prepare meal" as preparing meal.
Before preparing meal:
    if the location is not the cooking location of the recipe:
        say "Can only prepare meal in the [cooking location of the recipe].";
        rule fails;
    repeat with part running through the ingredients of the recipe:
        let F be the base of the part;
        if the player does not carry F:
            say "You still miss something.";
            rule fails;
        if the type of cooking of F is not the type of cooking of the part:
            say "Something still needs to be cooked.";
            rule fails;
        if the type of cutting of F is not the type of cutting of the part:
            say "Something still needs to be cut.";
            rule fails.
Carry out preparing meal:
    say "Adding the meal to your inventory.";
    repeat with part running through the ingredients of the recipe:
        now the base of the part is nowhere;
    now the player carries the meal of the recipe;
    set pronouns from the meal of the recipe.
`;

/** With a limited inventory each slot adds to what the player can carry. */
export const noCapacityCode = `
The carrying capacity of the player is 0.
`;
