#!/bin/busybox sh
# First process of a test machine: loads the modules in order, takes its user space from the host's file system (read-only, over
# 9p), makes a software RDMA device on each of its network cards and runs one command. What the command prints and its status go to the
# share, named by the machine's number.
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
while read -r module; do
  insmod "/modules/$module" || echo "RIG no module $module"
done < /modules/order

argument() { sed -n "s/.*\brig_$1=\([^ ]*\).*/\1/p" /proc/cmdline; }
machine=$(argument machine)
address=$(argument address)

ip link set lo up
if [ -e /sys/class/net/eth0 ]; then
  devices=$(cd /sys/class/net && echo eth*)
else  # alone: a card that leads nowhere still carries messages among the ranks of this machine
  ip link add lone0 type dummy
  devices=lone0
fi
for device in $devices; do
  # 10.0.CARD.MACHINE+1
  ip link set "$device" mtu "$(argument mtu)"
  ip addr add "10.0.${device##*[a-z]}.${address##*.}/24" dev "$device"
  ip link set "$device" up
done
ip route add 224.0.0.0/4 dev "${devices%% *}"

options=trans=virtio,version=9p2000.L,msize=524288
mkdir -p /host /share
mount -t 9p -o "$options,cache=loose,ro" host /host || echo "RIG no host file system"
mount -t 9p -o "$options" share /share || echo "RIG no share"
mount -t tmpfs tmpfs /host/tmp
mount -t tmpfs tmpfs /host/run
mkdir -p /host/tmp/share
mount --bind /share /host/tmp/share
# What runs from the share is read page by page, again each time: three times as slow as from memory.
[ ! -e /share/programs ] || cp -r /share/programs /host/tmp/programs
mount --bind /dev /host/dev
mkdir -p /host/dev/shm
mount -t tmpfs tmpfs /host/dev/shm
mount --bind /proc /host/proc
mount --bind /sys /host/sys
# `hostname` tells machines apart where they share everything else.
hostname "rig$machine"
for device in $devices; do
  chroot /host /usr/bin/env PATH=/usr/sbin:/usr/bin:/sbin:/bin rdma link add "rxe${device##*[a-z]}" type rxe netdev "$device" ||
    echo "RIG no rxe device on $device"
done
echo "RIG up after $(cut -d' ' -f1 /proc/uptime) s"
chroot /host /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp \
  RIG_MACHINE="$machine" RIG_MACHINES="$(argument machines)" RIG_ADDRESS="$address" RIG_DEVICE="${devices%% *}" \
  /bin/sh /tmp/share/command > "/share/output.$machine" 2>&1
echo $? > "/share/status.$machine"
echo "RIG done after $(cut -d' ' -f1 /proc/uptime) s"
[ "$machine" != 0 ] || until [ -e /share/over ]; do sleep 0.1; done  # the others need its hub
sync
poweroff -f
