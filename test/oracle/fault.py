"""The one way an operation of the oracle fails."""


class Fault(Exception):
    """An error answer: a code of the contract, a line of text for people, details for programs."""

    def __init__(self, code, message, details=None):
        super().__init__(code + ": " + message)
        self.code = code
        self.message = message
        self.details = details or {}


def over_limit(what, most):
    return Fault("E_LIMIT_EXCEEDED", what + " exceeds its limit", {"max": most})


def invalid_request(message):
    return Fault("E_REQUEST_INVALID", message)
