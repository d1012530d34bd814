import { TagsInput, type TagsInputProps } from "@mantine/core";
import { useState } from "react";

/**
 * A field for several words. Its list opens by a click, a letter or an arrow key; by the focus alone it would hide what
 * stands below from those who only pass.
 */
export function WordsInput(props: TagsInputProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <TagsInput
      openOnFocus={false}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      onClick={() => setOpen(true)}
      onSearchChange={(text) => text !== "" && setOpen(true)}
      {...props}
    />
  );
}
