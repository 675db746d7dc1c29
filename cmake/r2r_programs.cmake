# r2r_programs(PROGRAMS name... FEATURES name... INTERFACES file... PACKAGES package...)
#
# Builds and installs Cargo programs of this directory that use r2r with the messages of this very package.
#
# r2r finds messages, headers and libraries through prefixes (AMENT_PREFIX_PATH), and its build scripts load the
# message libraries. So what rosidl has just generated is laid out as a small prefix in the build tree, which leads
# the path, and cargo runs after it. The environment that cargo gets is also written to cargo_env.sh, for
# scripts/cargo_ros.sh. CHESS_OBSERVER_CARGO_ARGS are further arguments of the build, for scripts/test.sh.
function(r2r_programs)
  cmake_parse_arguments(A "" "" "PROGRAMS;FEATURES;INTERFACES;PACKAGES" ${ARGN})
  find_program(CARGO cargo HINTS $ENV{CARGO_HOME}/bin $ENV{HOME}/.cargo/bin)
  if(NOT CARGO)
    message(FATAL_ERROR "cargo was not found: install Rust 1.95 or newer (https://rustup.rs)")
  endif()
  set(own ${PROJECT_NAME})
  set(prefix ${CMAKE_CURRENT_BINARY_DIR}/r2r_prefix)
  set(target_dir ${CMAKE_CURRENT_BINARY_DIR}/cargo)

  # A prefix of this package's messages.
  set(libraries "")
  foreach(kind rosidl_generator_c rosidl_typesupport_c rosidl_typesupport_introspection_c rosidl_typesupport_fastrtps_c)
    if(TARGET ${own}__${kind})
      list(APPEND libraries COMMAND ${CMAKE_COMMAND} -E create_symlink
        $<TARGET_FILE:${own}__${kind}> ${prefix}/lib/$<TARGET_FILE_NAME:${own}__${kind}>)
    endif()
  endforeach()
  set(index share/ament_index/resource_index/rosidl_interfaces)
  add_custom_target(${own}_r2r_prefix
    COMMAND ${CMAKE_COMMAND} -E make_directory ${prefix}/lib ${prefix}/${index}
    COMMAND ${CMAKE_COMMAND} -E copy_directory
      ${CMAKE_CURRENT_BINARY_DIR}/rosidl_generator_c/${own} ${prefix}/include/${own}/${own}
    COMMAND ${CMAKE_COMMAND} -E copy_directory
      ${CMAKE_CURRENT_BINARY_DIR}/rosidl_typesupport_introspection_c/${own} ${prefix}/include/${own}/${own}
    COMMAND ${CMAKE_COMMAND} -E copy
      ${CMAKE_CURRENT_BINARY_DIR}/ament_cmake_index/${index}/${own} ${prefix}/${index}/${own}
    ${libraries}
    VERBATIM)
  add_dependencies(${own}_r2r_prefix
    ${own} ${own}__rosidl_typesupport_c ${own}__rosidl_typesupport_introspection_c)

  # r2r's build scripts run again when a watched variable changes, never when a message definition does: a word that
  # changes with the definitions goes into the package filter, where unknown names do no harm.
  set(definitions "")
  foreach(file ${A_INTERFACES})
    file(READ ${CMAKE_CURRENT_SOURCE_DIR}/${file} text)
    string(APPEND definitions "${file}\n${text}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  string(SHA256 hash "${definitions}")
  string(SUBSTRING ${hash} 0 16 hash)
  list(JOIN A_PACKAGES "$<SEMICOLON>" filter)
  set(filter "${own}$<SEMICOLON>${filter}$<SEMICOLON>definitions_${hash}")

  set(profile release)
  set(profile_dir release)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(profile dev)
    set(profile_dir debug)
  endif()

  # r2r 0.9.7 keeps generated files per environment and forgets its cfgs (no /clock) when it returns to one that it
  # has seen: drop them when the environment changes.
  set(environment "${filter}|$ENV{AMENT_PREFIX_PATH}|$ENV{CMAKE_PREFIX_PATH}|$ENV{ROS_DISTRO}")
  if(NOT "${environment}" STREQUAL "${R2R_ENVIRONMENT}")
    file(GLOB old ${target_dir}/*/build/r2r* ${target_dir}/*/.fingerprint/r2r*)
    if(old)
      file(REMOVE_RECURSE ${old})
    endif()
    set(R2R_ENVIRONMENT "${environment}" CACHE INTERNAL "what r2r was built for")
  endif()

  string(REPLACE "$<SEMICOLON>" ";" filter_text "${filter}")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/cargo_env.sh
    "export AMENT_PREFIX_PATH='${prefix}:$ENV{AMENT_PREFIX_PATH}'\n"
    "export CMAKE_PREFIX_PATH='$ENV{CMAKE_PREFIX_PATH}'\n"
    "export LD_LIBRARY_PATH='${prefix}/lib:$ENV{LD_LIBRARY_PATH}'\n"
    "export IDL_PACKAGE_FILTER='${filter_text}'\n"
    "export CARGO_TARGET_DIR='${target_dir}'\n")

  set(bins "")
  set(files "")
  foreach(program ${A_PROGRAMS})
    list(APPEND bins --bin ${program})
    list(APPEND files ${target_dir}/${profile_dir}/${program})
  endforeach()
  list(JOIN A_FEATURES "," features)
  add_custom_target(${own}_programs ALL
    COMMAND ${CMAKE_COMMAND} -E env
      "AMENT_PREFIX_PATH=${prefix}:$ENV{AMENT_PREFIX_PATH}"
      "LD_LIBRARY_PATH=${prefix}/lib:$ENV{LD_LIBRARY_PATH}"
      "IDL_PACKAGE_FILTER=${filter}"
      "CARGO_TARGET_DIR=${target_dir}"
      bash -c [[exec "$0" "$@" $CHESS_OBSERVER_CARGO_ARGS]]
      ${CARGO} build --locked --profile ${profile} --no-default-features --features ${features} ${bins}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    USES_TERMINAL VERBATIM)
  add_dependencies(${own}_programs ${own}_r2r_prefix)
  install(PROGRAMS ${files} DESTINATION lib/${own})
endfunction()

# r2r_tests(FEATURES name...)
#
# Registers the Cargo tests of this directory, built as r2r_programs builds, for `colcon test`.
function(r2r_tests)
  cmake_parse_arguments(A "" "" "FEATURES" ${ARGN})
  list(JOIN A_FEATURES "," features)
  # As in scripts/test.sh: this package itself with debug assertions and overflow checks.
  set(checks "")
  foreach(check debug-assertions overflow-checks)
    string(APPEND checks " --config profile.release.package.${PROJECT_NAME}.${check}=true")
  endforeach()
  # The environment that cargo needs is in cargo_env.sh, which r2r_programs writes.
  ament_add_test(cargo_test
    COMMAND bash -c
      ". '${CMAKE_CURRENT_BINARY_DIR}/cargo_env.sh' && exec '${CARGO}' test --locked --release --no-default-features --features '${features}'${checks}"
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    GENERATE_RESULT_FOR_RETURN_CODE_ZERO
    TIMEOUT 1800)
endfunction()
