"""A stage is where a program runs while its screen is made."""

import subprocess
import time

from display import settled


class Stage:
    """The program of a shot, on a screen of its own; ends what it started."""

    def __init__(self, shot, env, home):
        self.shot, self.env, self.home = shot, env, home
        self.processes = []
        for name, content in shot.files.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def start(self, command):
        log = open(self.home / 'errors', 'ab')
        process = subprocess.Popen(command, env=self.env, cwd=self.home, stdout=log, stderr=log, start_new_session=True)
        self.processes.append(process)
        return process

    def press(self, key):
        """Presses a key of xdotool's, types what begins with "type ", clicks "click X Y", or waits "wait SECONDS"."""
        verb, _, rest = key.partition(' ')
        if verb == 'wait':
            time.sleep(float(rest))
        elif verb == 'type':
            self.xdotool('type', '--delay', '30', rest)
        elif verb in ('click', 'rightclick', 'move'):
            self.xdotool('mousemove', *rest.split(), *([] if verb == 'move' else ['click', '3' if verb == 'rightclick' else '1']))
        else:
            self.xdotool('key', key)
        time.sleep(0.3)

    def xdotool(self, *arguments):
        subprocess.run(['xdotool', *arguments], env=self.env, check=True, stdout=subprocess.DEVNULL)

    def prepare(self):
        """Starts the program, presses the keys, and returns the picture."""
        program = self.start([part.replace('HOME', str(self.home)) for part in self.shot.command])
        try:
            settled(self.env)
        except TimeoutError as error:
            raise TimeoutError(f'{error}; the program ended with {program.poll()} and said: {(self.home / "errors").read_text()[-800:]}') from None
        for key in self.shot.keys:
            self.press(key)
        return settled(self.env)

    def close(self):
        for process in self.processes:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
