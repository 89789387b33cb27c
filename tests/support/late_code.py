"""Machine code that arrives late, without waiting for a real compiler."""

from branchwise.compile.code.progress import Compiling, listener_of_thread


class LateCode:
    """A compilation that reports its end after a set number of looks; its code was ready all the time.

    begun : all that have begun, which a thread would keep.
    """

    asked_for = 100
    begun = []
    is_compiling = True
    found_nothing = False
    holds_back = False

    def __init__(self, compile_now, *, may_compile=True):
        self.compile_now = compile_now
        self.looks = 0
        self.listeners = []
        self.begun.append(self)
        self.tell_thread()

    def start(self):
        pass

    def wait(self, seconds):
        self.looks += seconds == 0
        return self.looks > self.asked_for

    def result(self):
        while self.listeners:
            self.listeners.pop()(None)
        return self.compile_now()

    def tell_thread(self):
        listener = listener_of_thread()
        if listener is not None:
            self.listeners.append(listener)
            listener(Compiling("late", expected=30.0, meanwhile=True))
