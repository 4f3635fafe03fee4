# cmake -DWEB=... -DINTO=... -DNPM=... -P npm_ci.cmake: node_modules in INTO, as the lock file says.
file(MAKE_DIRECTORY ${INTO})
file(COPY ${WEB}/package.json ${WEB}/package-lock.json DESTINATION ${INTO})
execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
                WORKING_DIRECTORY ${INTO} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE words)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "npm could not fetch the libraries of the report page; without a network "
                      "configure with -DCLACK_REPORT=OFF. npm said:\n${words}")
endif()
