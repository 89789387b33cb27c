"""Machine code that comes late, without a compiler that has to be waited for."""


class LateCode:
    """A compile that ends when it was asked for so many times; the code was there all the time."""

    asked_for = 100
    is_compiling = True

    found_nothing = False

    def __init__(self, compile_now, *, may_compile=True):
        self.compile_now = compile_now
        self.looks = 0

    def start(self):
        pass

    def wait(self, seconds):
        self.looks += seconds == 0
        return self.looks > self.asked_for

    def result(self):
        return self.compile_now()

    def tell_thread(self):
        pass
