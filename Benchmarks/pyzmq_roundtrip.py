"""What zeromq-roundtrip does, with pyzmq.

    pyzmq_roundtrip.py serve                      echoes until the end of standard input; prints its endpoint
    pyzmq_roundtrip.py ask ENDPOINT BYTES COUNT   prints the nanoseconds of every round trip
"""

import sys
import time

import zmq

WARM_UP = 100


def serve():
    router = zmq.Context.instance().socket(zmq.ROUTER)
    router.bind("tcp://127.0.0.1:*")
    print(router.getsockopt_string(zmq.LAST_ENDPOINT), flush=True)
    poller = zmq.Poller()
    poller.register(router, zmq.POLLIN)
    poller.register(sys.stdin.fileno(), zmq.POLLIN)
    while True:
        ready = dict(poller.poll())
        if sys.stdin.fileno() in ready:
            break
        router.send_multipart(router.recv_multipart(copy=False), copy=False)
    router.close(0)


def ask(endpoint, size, count):
    dealer = zmq.Context.instance().socket(zmq.DEALER)
    dealer.connect(endpoint)
    payload, times = b"\7" * size, []
    copies = size < 65_536  # what pyzmq advises: below, a copy is cheaper
    for _ in range(WARM_UP + count):
        start = time.monotonic_ns()
        dealer.send(payload, copy=copies)
        answer = dealer.recv(copy=copies)
        times.append(time.monotonic_ns() - start)
        if len(answer) != size:
            raise SystemExit("the answer is not the message that was sent")
    print("\n".join(map(str, times[WARM_UP:])))
    dealer.close(0)


if sys.argv[1:] == ["serve"]:
    serve()
elif len(sys.argv) == 5 and sys.argv[1] == "ask":
    ask(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    raise SystemExit(__doc__)
