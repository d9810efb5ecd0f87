export { InProcessBus, WORK } from './adapters/in-process/in-process-bus.ts';
export { MESSAGE_BUS, type MessageBus, type WorkMessage } from './port.ts';
