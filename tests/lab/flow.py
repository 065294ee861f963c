"""flow.py receive PORT | flow.py send HOST PORT BYTES: one TCP flow. Both say "ready" when they are; the sender begins
at the time that it then reads, the receiver prints when it had the last byte. Hosts of a lab share one clock."""
import socket
import sys
import time

if sys.argv[1] == "receive":
    with socket.create_server(("0.0.0.0", int(sys.argv[2]))) as server:
        print("ready", flush=True)
        connection, _ = server.accept()
        connection.settimeout(60)
        while connection.recv(1 << 20):
            last = time.monotonic()
        print(last)
else:
    with socket.create_connection((sys.argv[2], int(sys.argv[3])), timeout=60) as connection:
        print("ready", flush=True)
        time.sleep(max(0.0, float(input()) - time.monotonic()))
        connection.sendall(bytes(int(sys.argv[4])))
