import { describe, expect, it } from 'vitest';

import { placeTicks } from './figure-ticks.js';

const apartBy = (least: number) => (_: readonly string[], apart: number) => apart < least;

describe('ticks', () => {
  it('stand at multiples of 1, 2 or 5, and name them whole', () => {
    expect(placeTicks({ low: 0, high: 300_000, crowds: apartBy(0.15) })).toEqual({
      values: [0, 50_000, 100_000, 150_000, 200_000, 250_000, 300_000],
      labels: ['0', '50,000', '100,000', '150,000', '200,000', '250,000', '300,000'],
    });
    expect(placeTicks({ low: 0.1, high: 0.3, crowds: apartBy(0.2) })).toEqual({
      values: [0.1, 0.15, 0.2, 0.25, 0.3],
      labels: ['0.10', '0.15', '0.20', '0.25', '0.30'],
    });
    expect(placeTicks({ low: -3, high: 3, crowds: apartBy(0.3) }).labels).toEqual(['−2', '0', '2']);
    expect(placeTicks({ low: 0, high: 4e-8, crowds: apartBy(0.4) }).labels).toEqual(['0', '2e−8', '4e−8']);
  });

  // Goes red when sums of steps replace multiples: 3 x 0.1 is 0.30000000000000004.
  it('are the numbers they are called', () => {
    const { values, labels } = placeTicks({ low: 0, high: 0.7, crowds: apartBy(0.14) });
    expect(values).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
    expect(labels.map(Number)).toEqual(values);
  });

  it('have no places between whole numbers where there are none', () => {
    const { values } = placeTicks({ low: 0, high: 3, crowds: apartBy(0.1), least: 1 });
    expect(values).toEqual([0, 1, 2, 3]);
  });

  it('give way where labels have no room', () => {
    const crowds = (labels: readonly string[], apart: number) =>
      apart * 40 < Math.max(...labels.map((one) => one.length)) + 1;
    // Seven characters and a space of forty: five labels at most.
    expect(placeTicks({ low: 0, high: 1_000_000, crowds }).labels).toEqual(['0', '500,000', '1,000,000']);
  });
});
