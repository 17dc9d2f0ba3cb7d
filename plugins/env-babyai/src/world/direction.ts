/** 0 right, 1 down, 2 left, 3 up; y grows downwards. */
export type Direction = 0 | 1 | 2 | 3;

export const stepX = [1, 0, -1, 0] as const;
export const stepY = [0, 1, 0, -1] as const;

export const directionNames = ['right', 'down', 'left', 'up'] as const;

export const turnLeft = (direction: Direction): Direction => ((direction + 3) & 3) as Direction;
export const turnRight = (direction: Direction): Direction => ((direction + 1) & 3) as Direction;
