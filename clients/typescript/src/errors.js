export class HippoError extends Error {
  constructor(message, code = "internal", field = "", hint = "") {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.field = field;
    this.hint = hint;
  }
}

export class InvalidError extends HippoError {
  constructor(message, field = "", hint = "") {
    super(message, "invalid", field, hint);
  }
}

export class NotFoundError extends HippoError {}

export class SecretError extends HippoError {}

export class ProgramNotFound extends HippoError {
  constructor(message) {
    super(message, "unavailable");
  }
}

export class ConnectionLost extends HippoError {
  constructor(message) {
    super(message, "unavailable");
  }
}

export class TimedOut extends HippoError {
  constructor(message) {
    super(message, "canceled");
  }
}

/** The error for a failed call; body is its error object, text what a model would read. */
export function errorOf(body, text) {
  const { code = "internal", message = text, field = "", hint = "" } = body ?? {};
  switch (code) {
    case "invalid":
      return new InvalidError(message, field, hint);
    case "not_found":
      return new NotFoundError(message, code, field, hint);
    case "secret":
      return new SecretError(message, code, field, hint);
    default:
      return new HippoError(message, code, field, hint);
  }
}
