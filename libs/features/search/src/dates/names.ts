/** English, in the order of the year. */
export const MONTHS: readonly string[] = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November'],
  'December',
];

/** English, from Sunday on. */
export const WEEKDAYS: readonly string[] = [
  ...['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
];

/** Words with a capital that name no person and no place. */
export const CALENDAR_NAMES: readonly string[] = [...MONTHS, ...WEEKDAYS];
