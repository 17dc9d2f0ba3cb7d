#!/bin/sh
# The first process of a small machine whose kernel is User Mode Linux, and whose files are those of this machine, for
# reading. It has cgroups of version 2, which it delegates to a user. REPOSITORY and NODE come from the kernel's command.
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/tmp
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs -o mode=1777 tmp /tmp
mount -t cgroup2 none /sys/fs/cgroup
cd "$REPOSITORY"
groups=/sys/fs/cgroup
"$NODE" test/sandbox/try-groups.js root
mkdir $groups/delegated $groups/shared
# A process that was killed left it behind.
mkdir "$groups/delegated/sandbox-$(readlink /proc/self/ns/pid | tr -dc 0-9)-4000000-gone"
chown -R 65534:65534 $groups/delegated
echo +memory +pids > $groups/cgroup.subtree_control
sh -c "echo 0 > $groups/delegated/cgroup.procs; exec \"$NODE\" test/sandbox/try-groups.js user"
# The shell stays in this group.
sh -c "echo 0 > $groups/shared/cgroup.procs; \"$NODE\" test/sandbox/try-groups.js shared; :"
echo o > /proc/sysrq-trigger
sleep 10
