export { PUBLIC_CATEGORIES, placeOf, publicEvent } from './public-event.ts';
