import { Controller, UseFilters } from '@nestjs/common';
import { type BaseRpcContext, Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { HandlerErrors, WORK, type WorkMessage } from '#ports/message-bus';
import { patternOf, QUEUES } from './stages/registry.ts';
import { Stages } from './stages.ts';

/** The pipeline's handlers on the bus: one for each registered stage and for each queue beside it, under its pattern. */
@Controller()
@UseFilters(new HandlerErrors())
export class StagesController {
  constructor(readonly stages: Stages) {}
}

for (const stage of QUEUES) {
  const descriptor: PropertyDescriptor = {
    value(this: StagesController, message: WorkMessage, context: BaseRpcContext): Promise<void> {
      return this.stages.run(stage.name, message, context.getArgByIndex(1), context.getArgByIndex(2));
    },
    configurable: true,
    writable: true,
  };
  Object.defineProperty(StagesController.prototype, stage.name, descriptor);
  Payload()(StagesController.prototype, stage.name, 0);
  Ctx()(StagesController.prototype, stage.name, 1);
  EventPattern<string>(patternOf(stage), WORK)(StagesController.prototype, stage.name, descriptor);
}
