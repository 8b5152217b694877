// The commands beside the ladder, which main.cu runs itself. Each is given the words behind its name and returns the
// exit status.
#pragma once

int stencil_command(int count, char** words);
int library_command(int count, char** words);
