import { IsBoolean, IsDefined, IsIn, ValidateNested } from '../class-validator.ts';
import { asDecorator, type InputClass, isObject, Rule } from '../rule.ts';

/** The field has to be there and not null. */
export const Required = (): PropertyDecorator => IsDefined({ message: '$property is required' });

export const IsFlag = (): PropertyDecorator => IsBoolean({ message: '$property must be true or false' });

export const IsOneOf = (choices: readonly string[]): PropertyDecorator =>
  IsIn([...choices], { message: '$property must be one of $constraint1' });

/** An object whose known fields are those of a class. */
export function IsNested(type: InputClass): PropertyDecorator {
  const rule = new Rule({}, (value) => (isObject(value) ? null : { says: 'must be an object' }), {
    nested: type,
  });
  return (target, name) => {
    asDecorator('isNested', rule)(target, name);
    ValidateNested()(target, name as string);
  };
}
